/** The addresses that come with clicks and slash commands: five messages within 30 minutes. */
import { randomUUID } from 'node:crypto';
import type http from 'node:http';
import { strictly } from './slack-blocks.ts';
import { type Fields, SlackRefusal, text } from './slack-refusal.ts';

const MOST_USES = 5;

export interface FakeResponse {
  readonly address: string;
  readonly text: string;
  readonly ephemeral: boolean;
  readonly thread: string | undefined;
  readonly replacesCard: boolean;
}

export function createResponses(changed: () => void) {
  const open = new Map<string, number>();
  const posted: FakeResponse[] = [];
  const refuse = (response: http.ServerResponse, error: string): void =>
    void response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: false, error }));

  return {
    posted,
    open(): string {
      const id = randomUUID();
      open.set(id, 0);
      return id;
    },
    expire: (): void => open.clear(),
    post(id: string, fields: Fields, response: http.ServerResponse): void {
      const uses = open.get(id);
      if (uses === undefined || uses >= MOST_USES) {
        refuse(response, uses === undefined ? 'expired_url' : 'used_url');
        return;
      }
      open.set(id, uses + 1);
      try {
        const words = strictly(text(fields, 'text'));
        posted.push({
          address: id,
          text: words,
          ephemeral: fields['response_type'] !== 'in_channel',
          thread: text(fields, 'thread_ts') || undefined,
          replacesCard: fields['replace_original'] !== false,
        });
      } catch (error) {
        if (!(error instanceof SlackRefusal)) throw error;
        refuse(response, error.message);
        return;
      }
      response.writeHead(200, { 'content-type': 'text/html' }).end('ok');
      changed();
    },
  };
}
