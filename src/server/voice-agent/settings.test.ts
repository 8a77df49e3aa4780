import { expect, test } from 'vitest';
import { readEnv } from '../env.ts';
import { agentFor, engineFor, voiceHealth, voiceSettings } from './settings.ts';

const HOSTED = {
  VOICE_AGENT_URL: 'https://agent.test',
  VOICE_AGENT_KEY: 'k',
  VOICE_AGENT_IDS: '{"tech-dive":"t","testnormec/tech-dive":"tt","*":"any"}',
};

test('§7 an agent per topic and per area; the most exact one wins', () => {
  const { hosted } = voiceSettings(readEnv(HOSTED));
  expect(agentFor(hosted, 'generic', 'tech-dive')).toBe('t');
  expect(agentFor(hosted, 'testnormec', 'tech-dive')).toBe('tt');
  expect(agentFor(hosted, 'firma-a', 'media-description')).toBe('any');
  expect(agentFor(undefined, 'generic', 'tech-dive')).toBeUndefined();
});

test.each([
  [{}, 'browser', 'text'],
  [{ TRANSCRIPTION_URL: 'http://stt.test' }, 'embedded', 'embedded'],
  [{ TTS_URL: 'http://tts.test' }, 'browser', 'text'],
  [HOSTED, 'hosted', 'hosted'],
  [{ ...HOSTED, VOICE_AGENT_IDS: '' }, 'browser', 'hosted'],
])('%j: %s', (source, engine, health) => {
  const env = readEnv(source);
  expect(engineFor(voiceSettings(env), 'generic', 'free-topic')).toBe(engine);
  expect(voiceHealth(env)).toBe(health);
});

test.each([
  ['VOICE_AGENT_IDS', { ...HOSTED, VOICE_AGENT_IDS: '{' }],
  ['VOICE_AGENT_IDS', { ...HOSTED, VOICE_AGENT_IDS: '{"wetter":"a"}' }],
  ['VOICE_AGENT_KEY', { VOICE_AGENT_URL: 'https://agent.test' }],
  ['TTS_SAMPLE_RATE', { TTS_SAMPLE_RATE: '12345' }],
  ['VOICE_SESSIONS', { VOICE_SESSIONS: '0' }],
])('a bad %s is named', (name, source) => {
  expect(() => readEnv(source)).toThrow(name);
});
