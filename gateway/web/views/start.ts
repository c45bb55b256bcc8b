import type { GatewayStatus } from '../api.ts';
import { button, h, icon } from '../dom.ts';

const EXAMPLES = [
  { title: 'Look around', prompt: 'List the files in your workspace and say what they are' },
  { title: 'Find out', prompt: 'Which processes use the most memory on this machine?' },
  { title: 'Make something', prompt: 'Write a Python script that prints the first 20 primes, and run it' },
] as const;

/** The demo model understands a few plain commands only. */
const DEMO_EXAMPLES = [
  { title: 'Look around', prompt: 'run ls -la' },
  { title: 'Find out', prompt: 'run uname -a' },
  { title: 'What the demo knows', prompt: 'help' },
] as const;

export function emptyState(demo: boolean, choose: (prompt: string) => void): HTMLElement {
  const examples = (demo ? DEMO_EXAMPLES : EXAMPLES).map(({ title, prompt }) =>
    button({ label: `${title}: ${prompt}`, class: 'example' }, () => choose(prompt), h('b', {}, title), h('span', {}, prompt)),
  );
  return h(
    'div',
    { class: 'empty' },
    h('span', { class: 'logo logo-large', 'aria-hidden': 'true' }),
    h('h2', {}, 'What can I do for you?'),
    h('p', {}, 'Ask anything, or start with one of these.'),
    h('div', { class: 'examples' }, ...examples),
  );
}

export function demoBanner(status: GatewayStatus, close: () => void): HTMLElement {
  return h(
    'aside',
    { class: 'banner', 'aria-label': 'Demo' },
    h(
      'p',
      {},
      h('strong', {}, 'Demo. '),
      'A small built-in model answers, offline. For a real one put ',
      h('code', {}, 'OPENAI_API_KEY'),
      h('span', { class: 'wide' }, ' (and ', h('code', {}, 'OPENAI_BASE_URL'), ', where it is not OpenAI)'),
      ' into ',
      h('code', {}, `${status.home}/.env`),
      '; it holds from the next message.',
    ),
    button({ label: 'Hide this note', class: 'quiet' }, close, icon('cross')),
  );
}

/** No cookie and no link: says how to get in. */
export function signedOutPage(problem: string | undefined): HTMLElement {
  return h(
    'main',
    { class: 'signed-out' },
    h('span', { class: 'logo logo-large', 'aria-hidden': 'true' }),
    h('h1', {}, 'Sign in to Hermes'),
    ...(problem ? [h('p', { class: 'problem', role: 'alert' }, problem)] : []),
    h('p', {}, 'Who can use the terminal of this gateway can sign in. This command prints a link:'),
    h('pre', {}, h('code', {}, 'hermes gateway link')),
    h('p', { class: 'small' }, 'Open the link in this browser. It works once; then this browser stays signed in for 30 days.'),
  );
}

export function unreachablePage(retry: () => void): HTMLElement {
  const again = button({ label: 'Try again', class: 'primary' }, retry, 'Try again');
  return h(
    'main',
    { class: 'signed-out' },
    h('span', { class: 'logo logo-large', 'aria-hidden': 'true' }),
    h('h1', {}, 'The gateway does not answer'),
    h('p', {}, 'Start it with "hermes gateway run" (or "npm start") and try again.'),
    again,
  );
}
