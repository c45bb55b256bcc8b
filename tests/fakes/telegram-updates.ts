/** The incoming half of the fake Bot API: the queue, long polls with the offset rule, and the webhook. */

export interface QueuedUpdate {
  readonly at: number;
  readonly update: Readonly<Record<string, unknown>> & { readonly update_id: number };
  deliveredAt?: number;
  deliveries: number;
}

export interface FakePoll {
  readonly t: number;
  readonly offset: number;
  readonly timeout: number;
}

/** What the HTTP side gives to one getUpdates call. */
export interface PollReply {
  answer(result: unknown): void;
  refuse(status: number, description: string): void;
  onClose(listener: () => void): void;
}

interface WaitingPoll {
  readonly reply: PollReply;
  readonly limit: number;
  readonly timer: NodeJS.Timeout;
}

const CONFLICT = 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';
const WEBHOOK_ACTIVE = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";

export function createUpdates(context: { now: () => number; changed: () => void; webhookRetryMs: number }) {
  const { now, changed } = context;
  let queue: QueuedUpdate[] = [];
  let nextId = 1000;
  let waitingPoll: WaitingPoll | undefined;
  let mostPolls = 0;
  let webhook = { url: '', secret: '' };
  let lastError: { last_error_date: number; last_error_message: string } | undefined;
  let pushing = false;
  let closed = false;
  /** Kinds of updates that are wanted; undefined until a call says so. */
  let allowed: readonly string[] | undefined;
  const polls: FakePoll[] = [];

  /** As Telegram does: it holds until another list is given, and says nothing about what is queued already. An empty list takes all. */
  function allow(value: unknown): void {
    const list: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    if (Array.isArray(list)) allowed = list.length === 0 ? undefined : list.map(String);
  }

  const wanted = (update: Readonly<Record<string, unknown>>): boolean =>
    allowed === undefined || allowed.some((kind) => update[kind] !== undefined);

  function take(limit: number): unknown[] {
    const due = queue.slice(0, limit);
    for (const entry of due) {
      entry.deliveredAt ??= now();
      entry.deliveries += 1;
    }
    return due.map(({ update }) => update);
  }

  function release(): WaitingPoll | undefined {
    const poll = waitingPoll;
    if (poll !== undefined) clearTimeout(poll.timer);
    waitingPoll = undefined;
    return poll;
  }

  function confirm(offset: number): void {
    if (offset > 0) queue = queue.filter(({ update }) => update.update_id >= offset);
    else if (offset < 0) queue = queue.slice(offset);
  }

  function seen(body: Readonly<Record<string, unknown>>): FakePoll {
    const poll = { t: now(), offset: Number(body['offset'] ?? 0), timeout: Number(body['timeout'] ?? 0) };
    polls.push(poll);
    return poll;
  }

  function poll(body: Readonly<Record<string, unknown>>, reply: PollReply): void {
    const { offset, timeout } = seen(body);
    allow(body['allowed_updates']);
    if (webhook.url !== '') {
      reply.refuse(409, WEBHOOK_ACTIVE);
      return;
    }
    mostPolls = Math.max(mostPolls, waitingPoll === undefined ? 1 : 2);
    release()?.reply.refuse(409, CONFLICT);
    confirm(offset);
    const limit = Math.min(100, Math.max(1, Number(body['limit'] ?? 100)));
    if (queue.length > 0) {
      reply.answer(take(limit));
      return;
    }
    if (timeout <= 0) {
      reply.answer([]);
      return;
    }
    const timer = setTimeout(() => release()?.reply.answer([]), timeout * 1000);
    const mine = { reply, limit, timer };
    waitingPoll = mine;
    reply.onClose(() => {
      if (waitingPoll === mine) release();
      changed();
    });
  }

  async function pushFirst(): Promise<boolean> {
    const [entry] = queue;
    if (entry === undefined || webhook.url === '') return false;
    entry.deliveries += 1;
    const headers = {
      'content-type': 'application/json',
      ...(webhook.secret === '' ? {} : { 'x-telegram-bot-api-secret-token': webhook.secret }),
    };
    try {
      const response = await fetch(webhook.url, { method: 'POST', headers, body: JSON.stringify(entry.update) });
      if (!response.ok) throw new Error(`Wrong response from the webhook: ${response.status}`);
      entry.deliveredAt ??= now();
      queue = queue.filter((other) => other !== entry);
      return true;
    } catch (error) {
      lastError = { last_error_date: Math.floor(now() / 1000), last_error_message: error instanceof Error ? error.message : String(error) };
      await new Promise((resolve) => setTimeout(resolve, context.webhookRetryMs));
      return true;
    }
  }

  /** One update at a time, in order, again and again until it is accepted: as Telegram does for one chat. */
  async function push(): Promise<void> {
    if (pushing) return;
    pushing = true;
    while (!closed && (await pushFirst())) changed();
    pushing = false;
  }

  function flush(): void {
    if (webhook.url !== '') void push();
    else if (queue.length > 0) {
      const poll = release();
      poll?.reply.answer(take(poll.limit));
    }
    changed();
  }

  return {
    polls,
    poll,
    seen,
    allow,
    flush,
    queue(update: Readonly<Record<string, unknown>>): QueuedUpdate {
      const given = update['update_id'];
      const id = typeof given === 'number' ? given : nextId;
      nextId = Math.max(id + 1, typeof given === 'number' ? id + 1 : nextId);
      const entry: QueuedUpdate = { at: now(), update: { ...update, update_id: id }, deliveries: 0 };
      if (wanted(update)) queue.push(entry);
      return entry;
    },
    waiting: (): readonly QueuedUpdate[] => queue,
    openPolls: (): number => (waitingPoll === undefined ? 0 : 1),
    mostPolls: (): number => mostPolls,
    webhook: (): { readonly url: string; readonly secret: string } => webhook,
    setWebhook(url: string, secret: string): void {
      webhook = { url, secret };
      if (url !== '') release()?.reply.refuse(409, 'Conflict: terminated by setWebhook request');
      flush();
    },
    webhookInfo: () => ({ url: webhook.url, has_custom_certificate: false, pending_update_count: queue.length, ...lastError }),
    close(): void {
      closed = true;
      release();
    },
  };
}
