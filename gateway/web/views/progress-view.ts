import { h, icon } from '../dom.ts';
import type { ProgressEntry, ProgressStep } from '../protocol.ts';

const TICK_MS = 1000;

/** What the agent does: one line a step, folded into a sentence when it is over. */
export class ProgressView {
  readonly element = h('details', { class: 'progress' });
  readonly #summary = h('span', { class: 'progress-summary' });
  readonly #mark = h('span', { class: 'progress-mark' });
  readonly #steps = h('ol', { class: 'steps' });
  readonly #notice = h('p', { class: 'progress-notice' });
  #entry: ProgressEntry;
  #shownAtMs = 0;
  #timer: number | undefined;

  constructor(entry: ProgressEntry) {
    this.#entry = entry;
    this.element.open = !entry.done;
    this.element.append(h('summary', {}, this.#mark, this.#summary, icon('chevron')), this.#steps, this.#notice);
    this.update(entry);
  }

  update(entry: ProgressEntry): void {
    if (entry.done && !this.#entry.done) this.element.open = false;
    this.#entry = entry;
    this.#shownAtMs = Date.now();
    this.#mark.replaceChildren(
      entry.done ? icon(failedCount(entry) === entry.steps.length ? 'cross' : 'check') : h('span', { class: 'spinner' }),
    );
    this.#steps.replaceChildren(...entry.steps.map(step));
    this.#notice.textContent = entry.waiting ? 'Waiting for your answer' : (entry.notice ?? '');
    this.#notice.hidden = this.#notice.textContent === '';
    this.#tick();
    window.clearInterval(this.#timer);
    if (!entry.done) this.#timer = window.setInterval(() => this.#tick(), TICK_MS);
  }

  remove(): void {
    window.clearInterval(this.#timer);
    this.element.remove();
  }

  #tick(): void {
    const { elapsedMs, done } = this.#entry;
    const total = done ? elapsedMs : elapsedMs + Date.now() - this.#shownAtMs;
    this.#summary.textContent = summaryOf(this.#entry, total);
  }
}

export function summaryOf({ steps, earlier = 0 }: Pick<ProgressEntry, 'steps' | 'earlier'>, elapsedMs: number): string {
  const failed = steps.filter(({ state }) => state === 'failed').length;
  const total = steps.reduce((sum, { count = 1 }) => sum + count, earlier);
  const count = total === 1 ? '1 step' : `${total} steps`;
  return `${count}, ${duration(elapsedMs)}${failed === 0 ? '' : `, ${failed} failed`}`;
}

export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 1) return 'under 1 s';
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function failedCount(entry: ProgressEntry): number {
  return entry.steps.filter(({ state }) => state === 'failed').length;
}

const STATES = { running: 'runs', ok: 'done', failed: 'failed' } as const;

function step({ tool, preview, state, count = 1, arguments: args, note }: ProgressStep): HTMLElement {
  const mark = state === 'running' ? h('span', { class: 'spinner' }) : icon(state === 'ok' ? 'check' : 'cross');
  return h(
    'li',
    { class: `step step-${state}` },
    mark,
    h('span', { class: 'visually-hidden' }, `${STATES[state]}: `),
    h('span', { class: 'step-tool' }, tool),
    h('span', { class: 'step-preview', title: preview }, preview),
    ...(count === 1 ? [] : [h('span', { class: 'step-count' }, `×${count}`)]),
    ...(note === undefined ? [] : [h('span', { class: 'step-note' }, note)]),
    ...(args === undefined ? [] : [h('span', { class: 'step-arguments', title: args }, args)]),
  );
}
