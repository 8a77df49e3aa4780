import { expect, test } from 'vitest';
import { readEnv } from '../env.ts';
import { findAgent, findConfiguredEngine, getVoiceHealth, readVoiceSettings, usesPaidService } from './settings.ts';

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
  [{}, false, 'browser', 'text'],
  [{}, true, 'embedded', 'embedded'],
  [{ TRANSCRIPTION_URL: 'http://stt.test' }, false, 'embedded', 'embedded'],
  [{ TTS_URL: 'http://tts.test' }, false, 'browser', 'text'],
  [HOSTED, true, 'hosted', 'hosted'],
  [{ ...HOSTED, VOICE_AGENT_IDS: '' }, false, 'browser', 'hosted'],
])('Selects the engine for %j, with a model on this machine: %s', (source, hasModel, engine, health) => {
  const env = readEnv(source);
  expect(findConfiguredEngine(readVoiceSettings(env), 'generic', 'free-topic', hasModel)).toBe(engine);
  expect(getVoiceHealth(env, hasModel)).toBe(health);
});

test.each([
  ['hosted', HOSTED, true],
  ['embedded', { TRANSCRIPTION_URL: 'https://stt.test' }, true],
  ['embedded', { TTS_URL: 'https://tts.test', TRANSCRIPTION_URL: 'https://stt.test' }, true],
  ['embedded', { LLM_URL: 'https://llm.test' }, true],
  ['embedded', {}, false],
  ['browser', { LLM_URL: 'https://llm.test' }, true],
  ['browser', {}, false],
] as const)('Threat 7: minutes of the engine %s with %j count: %s', (engine, source, counts) => {
  expect(usesPaidService(readVoiceSettings(readEnv(source)), engine)).toBe(counts);
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
