/** Reactions of ours on people's messages. https://docs.slack.dev/reference/methods/reactions.add */
import type { Adapter, Receipt } from '../adapter.ts';
import { guarded, unless } from './calls.ts';
import type { Client } from './client.ts';

const EMOJI: Readonly<Record<Receipt, string>> = { seen: 'eyes', done: 'white_check_mark', failed: 'x' };

export function createReact(client: Client): NonNullable<Adapter['react']> {
  return (message, receipt, signal) =>
    guarded(signal, async () => {
      const place = { channel: message.chat.chat, timestamp: message.id };
      await client.probe('reactions.add', { ...place, name: EMOJI[receipt] }, signal).catch(unless('already_reacted', 'message_not_found'));
      if (receipt === 'seen') return;
      // A turn ends once, so only the first mark can be in the way.
      await client.probe('reactions.remove', { ...place, name: EMOJI.seen }, signal).catch(unless('no_reaction', 'message_not_found'));
    });
}
