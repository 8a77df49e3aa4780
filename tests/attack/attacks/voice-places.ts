import { getTicket } from '#tests/support/voice-client.ts';
import { INITIATION, rawCall, type RawCall } from '#tests/support/voice-socket.ts';
import { inParallel, type Attack } from '../attack.ts';
import { localAddress, ATTACKER } from '../client.ts';
import { beginContribution } from '../contribution.ts';
import type { Target } from '../target.ts';

const KEYS = 50;
const TICKETS = 2;

/** Each key is a guest of its own; together they must not take the places of the members. */
export const voicePlaces: Attack = {
  name: 'voice-places',
  about: `${KEYS} keys of one address ask for ${KEYS * TICKETS} conversations, then a member asks for one`,
  arrange: () => {
    const calls: RawCall[] = [];
    return {
      run: async (target, tally) => {
        await inParallel(KEYS, 5, async () => {
          const { id, headers } = await beginContribution(target);
          for (let ticket = 0; ticket < TICKETS; ticket += 1) await takePlace(target, id, headers, calls, tally.count);
        });
        const { signedUrl } = await getTicket(target.url, target.member, {});
        const call = await rawCall(signedUrl);
        calls.push(call);
        call.send(INITIATION);
        const metadata = call.until('conversation_initiation_metadata').then(() => true);
        const served = await Promise.race([metadata, call.closed.then(() => false)]);
        if (!served) tally.fail('a member got no place');
      },
      close: () => calls.forEach(({ socket }) => socket.terminate()),
    };
  },
};

async function takePlace(
  target: Target,
  interviewId: number,
  headers: Readonly<Record<string, string>>,
  calls: RawCall[],
  count: (answer: number | string) => void,
): Promise<void> {
  const body = JSON.stringify({ area: 'generic', topic: 'behind-scenes', interviewId });
  const answer = await target.call({ method: 'POST', path: '/v1/convai/ticket', headers, body });
  if (answer.status !== 200) return count(answer.status);
  const { signedUrl } = JSON.parse(answer.text) as { signedUrl: string };
  const call = await rawCall(signedUrl, { settings: localAddress(ATTACKER) });
  calls.push(call);
  call.send(INITIATION);
  const started = call.until('conversation_initiation_metadata').then(() => 101);
  count(await Promise.race([started, call.closed.then(({ code }) => `close ${code}`)]));
}
