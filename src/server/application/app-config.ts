import type { AppConfig } from '#contract/app-config.ts';
import type { Env } from '../env.ts';
import type { Platform } from '../platform.ts';
import { getCaptchaSite } from './captcha.ts';

export function buildAppConfig(env: Env, platform: Platform, origin: string): AppConfig {
  const captcha = getCaptchaSite(platform.captcha);
  return {
    supabaseUrl: platform.browserUrl ?? origin,
    supabaseKey: platform.browserKey,
    brand: {
      association: env.BRAND_ASSOCIATION,
      product: env.BRAND_PRODUCT,
      imprintUrl: env.BRAND_IMPRINT_URL,
      privacyUrl: env.BRAND_PRIVACY_URL,
    },
    limits: {
      videoBytes: env.LIMIT_VIDEO_BYTES,
      imageBytes: env.LIMIT_IMAGE_BYTES,
      documentBytes: env.LIMIT_DOCUMENT_BYTES,
      recordingBytes: env.LIMIT_RECORDING_BYTES,
      transcriptCharacters: env.LIMIT_TRANSCRIPT_CHARACTERS,
    },
    transcription: env.TRANSCRIPTION_URL !== undefined,
    keepRecordings: env.KEEP_RECORDINGS,
    cloudRecognition: env.CLOUD_RECOGNITION,
    openContributions: env.OPEN_CONTRIBUTIONS,
    secondFactorRoles: env.MFA_REQUIRED_ROLES,
    currentPassword: platform.currentPassword,
    captcha: captcha && { provider: captcha.provider, siteKey: captcha.siteKey, script: captcha.script },
  };
}
