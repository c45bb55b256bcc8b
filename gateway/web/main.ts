import { fetchStatus, signIn } from './api.ts';
import { App } from './app.ts';
import { Links } from './links.ts';
import { createShelf } from './storage.ts';
import { applyTheme, currentTheme } from './theme.ts';
import { signedOutPage, unreachablePage } from './views/start.ts';

const lasting = createShelf(() => localStorage);
const tab = createShelf(() => sessionStorage);

function show(element: HTMLElement): void {
  document.body.replaceChildren(element);
}

/** Takes the one-time code out of the address at once: it must not stay in the history, in a bookmark or on a screenshot. */
function takeCode(): string | undefined {
  const code = /^#code=([\w-]{1,256})$/.exec(location.hash)?.[1];
  if (location.hash.startsWith('#code=')) history.replaceState(null, '', location.pathname);
  return code;
}

async function start(): Promise<void> {
  const code = takeCode();
  const problem = code === undefined ? undefined : await signIn(code);
  const answer = await fetchStatus();
  if (answer.kind === 'unreachable') return show(unreachablePage(() => void start()));
  if (answer.kind === 'signed-out') return show(signedOutPage(problem));
  const links = new Links();
  const signedOut = (): void => {
    links.stop();
    show(signedOutPage(undefined));
  };
  const app = new App({ status: answer.status, lasting, tab, signedOut });
  show(app.element);
  document.body.append(links.element);
  app.start();
  links.start();
}

applyTheme(currentTheme(lasting));
// A link pasted into the address of the open page changes the fragment only.
window.addEventListener('hashchange', () => {
  if (location.hash.startsWith('#code=')) location.reload();
});
void start();
