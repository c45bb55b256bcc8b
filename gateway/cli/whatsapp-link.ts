import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { askDaemon } from './ask-daemon.ts';
import { terminalQr } from './terminal-qr.ts';
import { type Act, type CliContext, exitCodes } from './verbs.ts';

const pollMs = 1500;
const patienceMs = 10 * 60_000;

const offerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('warning'), text: z.string() }),
  z.object({ type: z.literal('qr'), rows: z.array(z.string()), expiresAtMs: z.number() }),
  z.object({ type: z.literal('code'), code: z.string(), expiresAtMs: z.number() }),
]);

const linksSchema = z.object({
  links: z.array(
    z.object({
      platform: z.string(),
      account: z.string(),
      state: z.string(),
      detail: z.string().optional(),
      offer: offerSchema.optional(),
      problem: z.string().optional(),
    }),
  ),
});

type Link = z.infer<typeof linksSchema>['links'][number];

/** Goes on until the phone has agreed, or nobody does anything for a while. */
export const act: Act = async (context) => {
  const { print } = context;
  const phone = phoneOf(context.options['phone']);
  const end = Date.now() + patienceMs;
  const shown: Shown = { offer: '', asked: false };
  while (Date.now() < end) {
    const link = await linkOf(context);
    const done = linked(link);
    if (done !== undefined) {
      print(done);
      return exitCodes.ok;
    }
    if (link.state === 'stopped' && link.offer === undefined)
      throw new Error(link.detail ?? 'The account is stopped. Restart the gateway.');
    if (link.problem !== undefined && shown.asked) throw new Error(link.problem);
    if (!(await step(context, { link, phone, shown }))) return exitCodes.failed;
    await sleep(pollMs);
  }
  print('Nobody has linked a phone. Run the command again when you are ready.');
  return exitCodes.failed;
};

/** Undefined: not yet. An account without a link is never degraded. */
function linked({ state, offer, detail }: Link): string | undefined {
  if (state === 'connected') return 'Linked. WhatsApp is connected.';
  return state === 'degraded' && offer === undefined
    ? `Linked, but: ${detail ?? 'it does not work as it should at the moment.'}`
    : undefined;
}

interface Shown {
  offer: string;
  asked: boolean;
}

interface Step {
  readonly link: Link;
  readonly phone: string | undefined;
  readonly shown: Shown;
}

/** False: the owner does not want to. */
async function step(context: CliContext, { link, phone, shown }: Step): Promise<boolean> {
  const { deps, print } = context;
  const route = `/api/links/${link.platform}/${link.account}`;
  const { offer } = link;
  if (offer?.type === 'warning') {
    if (!(await agreed(context, offer.text))) return false;
    await askDaemon(deps, { method: 'POST', route: `${route}/accept` });
    return true;
  }
  if (phone !== undefined && !shown.asked) {
    await askDaemon(deps, { method: 'POST', route: `${route}/code/${phone}` });
    shown.asked = true;
  }
  const text = describe(offer, phone);
  if (text !== undefined && text !== shown.offer) print(text);
  shown.offer = text ?? shown.offer;
  return true;
}

function describe(offer: Link['offer'], phone: string | undefined): string | undefined {
  if (offer?.type === 'code')
    return `On the phone: WhatsApp, Linked devices, Link a device, Link with phone number instead. Then type: ${offer.code}`;
  if (offer?.type !== 'qr' || phone !== undefined) return undefined;
  return `On the phone: WhatsApp, Linked devices, Link a device. Then scan this (a new one comes in time):\n\n${terminalQr(offer.rows)}`;
}

async function agreed({ options, print }: CliContext, warning: string): Promise<boolean> {
  print(warning);
  if (options['yes'] === true) return true;
  if (!process.stdin.isTTY) throw new Error('Agree to this with --yes, or run the command in a terminal.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question('I understand, go on? [y/N] ');
    if (/^y(?:es)?$/i.test(answer.trim())) return true;
    print('Nothing was linked.');
    return false;
  } finally {
    terminal.close();
  }
}

function phoneOf(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  const digits = String(given)
    .replace(/[\s()./-]/g, '')
    .replace(/^(?:\+|00)/, '');
  if (!/^[1-9]\d{6,14}$/.test(digits)) throw new Error('A telephone number is its digits with the country code: --phone 4915123456789');
  return digits;
}

async function linkOf({ deps, options }: CliContext): Promise<Link> {
  const account = String(options['account'] ?? 'main');
  const { links } = linksSchema.parse(await askDaemon(deps, { method: 'GET', route: '/api/links' }));
  const link = links.find((one) => one.platform === 'whatsapp' && one.account === account);
  if (link !== undefined) return link;
  throw new Error(
    `WhatsApp is not switched on for the running gateway${account === 'main' ? '' : ` (account ${account})`}. Set WHATSAPP_ENABLED=true in .env (or whatsapp.enabled in config.yaml) and restart it.`,
  );
}
