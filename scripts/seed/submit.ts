import { crc32 } from 'node:zlib';
import type { SupabaseClient } from '@supabase/supabase-js';
import { formatTranscript, type Turn } from '#contract/transcript.ts';
import type { SpokenSegment } from '#contract/spoken.ts';
import type { Role } from '#contract/roles.ts';
import { mediaPath } from '#web/submission/files.ts';
import { toPng } from './canvas.ts';
import { toPdf } from './document.ts';
import { film } from './film.ts';
import { getToken } from './ledger.ts';
import type { People } from './people.ts';
import type { MadeFile, Sample } from './sample.ts';
import { drawScene } from './scenes.ts';
import { speak } from './sound.ts';

const BUCKET = 'Media';
const AREA_OF: Readonly<Record<Role | 'guest', string>> = {
  admin: 'generic',
  vdi_admin: 'generic',
  guest: 'generic',
  firma_a: 'firma-a',
  firma_b: 'firma-b',
  testnormec: 'testnormec',
};

/** Hands a sample in as the browser does, in the same order (§4). Resolves to its id. */
export async function submit(people: People, sample: Sample): Promise<number> {
  const client = await people.openClient(sample.by);
  const begun = await client
    .from('interviews')
    .insert({})
    .select('id')
    .setHeader('x-submission-token', getToken(sample))
    .single();
  if (begun.error !== null) throw begun.error;
  const id = Number(begun.data.id);
  const origin = { interview_id: id, area: AREA_OF[sample.by], kind: sample.kind, topic: sample.topic ?? null };
  succeed(await client.from('contribution_origins').insert(origin));
  const turns = parseTurns(sample);
  if (turns.length > 0) {
    const rows = turns.map(({ speaker, text }, position) => ({
      interview_id: id,
      conversation_id: 'demo',
      position,
      speaker,
      content: text,
    }));
    succeed(await client.from('interview_turns').insert(rows));
  }
  const transcript = turns.length > 0 ? formatTranscript(turns) : sample.transcript;
  if (transcript !== undefined)
    succeed(
      await client.from('interviews').update({ transcript, completed_at: new Date().toISOString() }).eq('id', id),
    );
  if (sample.answers !== undefined)
    succeed(await client.from('interviews').update({ w_questions_answers: sample.answers }).eq('id', id));
  for (const [place, file] of (sample.files ?? []).entries()) await store(client, id, make(sample, file, place), place);
  if (sample.person !== undefined)
    succeed(await client.from('interviews').update(toContact(sample.person)).eq('id', id));
  return id;
}

function parseTurns({ turns = [] }: Sample): Turn[] {
  return turns.map((text, place) => ({ speaker: place % 2 === 0 ? 'agent' : 'user', text }));
}

/** Addresses under .test reach nobody (RFC 2606). */
function toContact([first, last]: readonly [string, string]): Readonly<Record<string, string>> {
  const plain = (name: string): string =>
    name.toLowerCase().replace(/ä/g, 'ae').replace(/ö/g, 'oe').replace(/ü/g, 'ue').replace(/ß/g, 'ss');
  return {
    contact_first_name: first,
    contact_last_name: last,
    contact_email: `${plain(first)}.${plain(last)}@beispiel.test`,
    completed_at: new Date().toISOString(),
  };
}

type Made = Readonly<{ name: string; type: string; bytes: Buffer; spoken?: readonly SpokenSegment[] }>;

function make(sample: Sample, file: MadeFile, place: number): Made {
  const seed = crc32(sample.key) + place;
  switch (file.make) {
    case 'picture':
      return { name: 'bild.png', type: 'image/png', bytes: toPng(drawScene(file.scene, seed)) };
    case 'film':
      return { name: 'film.mp4', type: 'video/mp4', bytes: film(file.scene, seed) };
    case 'document':
      return { name: 'text.pdf', type: 'application/pdf', bytes: toPdf(file.title, file.paragraphs) };
    default: {
      const { wav, spoken } = speak(sample.transcript ?? '', file.pitch);
      return { name: 'aufnahme.wav', type: 'audio/wav', bytes: wav, spoken };
    }
  }
}

async function store(
  client: SupabaseClient,
  id: number,
  { name, type, bytes, spoken }: Made,
  place: number,
): Promise<void> {
  const path = mediaPath(String(id), { name, type }, Date.now() + place);
  const { error } = await client.storage.from(BUCKET).upload(path, bytes, { contentType: type });
  if (error !== null) throw error;
  const row = { interview_id: id, file_path: path, file_type: type, ...(spoken !== undefined && { spoken }) };
  succeed(await client.from('media_uploads').insert(row));
}

function succeed({ error }: Readonly<{ error: Error | null }>): void {
  if (error !== null) throw error;
}
