import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { AttachmentKind, ChatRef, InboundMessage, Outbound, SentRef } from '../../../adapters/adapter.ts';
import { type Bench, patience, TOKEN } from './bench.ts';

const MIMES: Readonly<Record<AttachmentKind, string>> = {
  image: 'image/png',
  voice: 'audio/ogg',
  audio: 'audio/mpeg',
  video: 'video/mp4',
  sticker: 'image/webp',
  file: 'application/pdf',
};
const KINDS = Object.keys(MIMES) as AttachmentKind[];

/** By this each of the bot's messages is known again, wherever it stands. */
const MARK = /mark\d+[a-z]+/;
const markOf = (text: string): string => MARK.exec(text)?.[0] ?? text;

function words(chat: ChatRef, mark: string): Outbound[] {
  const step = { tool: 'terminal', preview: `${mark}progress`, state: 'running' } as const;
  const choices = [{ id: 'once', label: 'Allow once' }];
  return [
    { type: 'text', chat, markdown: `**${mark}text**` },
    { type: 'progress', chat, steps: [step], elapsedMs: 1000, done: false },
    { type: 'ask', chat, token: TOKEN, number: 3, markdown: `May I ${mark}ask?`, choices, hint: 'Or /approve.' },
  ];
}

function files(chat: ChatRef, mark: string, content: string): Outbound[] {
  return KINDS.map((kind) => {
    const mime = MIMES[kind];
    return { type: 'file', chat, path: content, name: `${mark}${kind}.${mime.split('/')[1]}`, mime, kind };
  });
}

const sentMark = (answer: Outbound): string => markOf(JSON.stringify(answer));

type Answer = Outbound & { readonly ref: SentRef };

interface Spoken {
  readonly event: InboundMessage;
  readonly mark: string;
  /** The bot's messages where this belongs to be answered. */
  shown(): readonly string[];
}

export function placing(bench: Bench): void {
  /** Something in each place in turn, twice. */
  async function everybodySpeaks(): Promise<readonly Spoken[]> {
    const { host, places, until } = bench.rig;
    const texts = [...places, ...places].map((_speak, index) => `said ${index}`);
    const said = texts.map((text, index) => ({ text, shown: places[index % places.length]?.(text) ?? (() => []) }));
    await until(() => host.received.length >= said.length);
    return said.map(({ text, shown }, index) => {
      const event = host.received.find((one) => one.type === 'message' && one.text === text);
      if (event?.type !== 'message') throw new Error(`"${text}" was not handed over: ${JSON.stringify(host.received)}`);
      return { event, shown, mark: `mark${index}` };
    });
  }

  /** What people see, place by place, beside what they should. */
  function expectShown(spoken: readonly Spoken[], answers: readonly Outbound[], markNow: (answer: Outbound) => string): void {
    for (const { event, shown } of spoken) {
      const here = answers.filter(({ chat }) => JSON.stringify(chat) === JSON.stringify(event.chat));
      expect(shown().map(markOf).toSorted()).toEqual(here.map(markNow).toSorted());
    }
  }

  /** As the gateway answers: one after the other in each conversation, the conversations beside each other. */
  async function answerAll({ event: { chat, chatType, message }, mark }: Spoken, content: string | undefined): Promise<Answer[]> {
    const { adapter } = bench.rig;
    const all = [...words(chat, mark), ...(content === undefined ? [] : files(chat, mark, content))];
    const answers: Answer[] = [];
    for (const answer of all) {
      const whole = chatType === 'dm' ? answer : { ...answer, replyTo: message };
      const ref = await adapter.send(whole, sentMark(answer), patience());
      expect(ref.chat).toEqual(chat);
      answers.push({ ...answer, ref });
    }
    return answers;
  }

  it('answers in the chat and thread that a message came from and nowhere else, whoever else is answered meanwhile', async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'contract-'));
    const content = path.join(directory, 'content');
    await writeFile(content, 'some bytes');
    const { adapter, places, written } = bench.rig;
    const spoken = await everybodySpeaks();
    const before = written();
    const sendsFiles = bench.contract.platform.limits.uploadBytes > 0;
    const answers = (
      await Promise.all(spoken.map((one, index) => answerAll(one, sendsFiles && index < places.length ? content : undefined)))
    ).flat();
    await rm(directory, { recursive: true });
    expectShown(spoken, answers, sentMark);
    const changed = (answer: Outbound): string => (answer.type === 'file' ? sentMark(answer) : `${sentMark(answer)}edited`);
    for (const answer of answers)
      if (answer.type !== 'file')
        await adapter.edit?.(answer.ref, { type: 'text', chat: answer.chat, markdown: changed(answer) }, patience());
    if (adapter.edit !== undefined) expectShown(spoken, answers, changed);
    expect(written() - before).toBe(answers.length);
  });
}
