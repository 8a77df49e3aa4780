import { expect, test } from 'vitest';
import { readEnv } from '../env.ts';
import { findAgent, planEngine, getVoiceHealth, readVoiceSettings } from './settings.ts';

const HOSTED = {
  VOICE_AGENT_URL: 'https://agent.test',
  VOICE_AGENT_KEY: 'k',
  VOICE_AGENT_IDS: '{"tech-dive":"t","testnormec/tech-dive":"tt","*":"any"}',
};

test('Finds the most specific agent by topic and area (§7)', () => {
  const { hosted } = readVoiceSettings(readEnv(HOSTED));
  expect(findAgent(hosted, 'generic', 'tech-dive')).toBe('t');
  expect(findAgent(hosted, 'testnormec', 'tech-dive')).toBe('tt');
  expect(findAgent(hosted, 'firma-a', 'media-description')).toBe('any');
  expect(findAgent(undefined, 'generic', 'tech-dive')).toBeUndefined();
});

test.each([
  [{}, 'browser', 'text'],
  [{ TRANSCRIPTION_URL: 'http://stt.test' }, 'embedded', 'embedded'],
  [{ TTS_URL: 'http://tts.test' }, 'browser', 'text'],
  [HOSTED, 'hosted', 'hosted'],
  [{ ...HOSTED, VOICE_AGENT_IDS: '' }, 'browser', 'hosted'],
])('Selects the engine for %j: %s', (source, engine, health) => {
  const env = readEnv(source);
  expect(planEngine(readVoiceSettings(env), 'generic', 'free-topic')).toBe(engine);
  expect(getVoiceHealth(env)).toBe(health);
});

test.each([
  ['VOICE_AGENT_IDS', { ...HOSTED, VOICE_AGENT_IDS: '{' }],
  ['VOICE_AGENT_IDS', { ...HOSTED, VOICE_AGENT_IDS: '{"wetter":"a"}' }],
  ['VOICE_AGENT_KEY', { VOICE_AGENT_URL: 'https://agent.test' }],
  ['TTS_SAMPLE_RATE', { TTS_SAMPLE_RATE: '12345' }],
  ['VOICE_SESSIONS', { VOICE_SESSIONS: '0' }],
])('Names an invalid %s', (name, source) => {
  expect(() => readEnv(source)).toThrow(name);
});
