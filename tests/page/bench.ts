import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { launch, signedIn, type Tab } from './browser.ts';
import { EchoGateway, type EchoOptions } from './echo-gateway.ts';

/** One browser a file, a fresh gateway and a fresh profile a test. */
export interface Bench {
  readonly browser: Browser;
  /** May be replaced by one of another shape. */
  context: BrowserContext;
  readonly gateway: EchoGateway;
  /** A signed-in tab. With options, on a gateway of that kind. */
  open(options?: EchoOptions): Promise<Page>;
}

class LiveBench implements Bench {
  #browser: Browser | undefined;
  #context: BrowserContext | undefined;
  #gateway: EchoGateway | undefined;
  readonly tabs: Tab[] = [];

  get browser(): Browser {
    return present(this.#browser);
  }

  get context(): BrowserContext {
    return present(this.#context);
  }

  set context(context: BrowserContext) {
    this.#context = context;
  }

  get gateway(): EchoGateway {
    return present(this.#gateway);
  }

  async launch(): Promise<void> {
    this.#browser = await launch();
  }

  async begin(options?: EchoOptions): Promise<void> {
    this.#gateway = await new EchoGateway(options).start();
    this.#context ??= await this.browser.newContext({ locale: 'en-GB' });
  }

  async open(options?: EchoOptions): Promise<Page> {
    if (options) {
      await this.gateway.stop();
      await this.begin(options);
    }
    const tab = await signedIn(this.context, this.gateway);
    this.tabs.push(tab);
    return tab.page;
  }

  async end(): Promise<void> {
    await this.context.close();
    this.#context = undefined;
    await this.gateway.stop();
    for (const tab of this.tabs.splice(0)) expect(tab.faults).toEqual([]);
  }
}

function present<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error('The bench is not set up.');
  return thing;
}

/** To be called in `describe`. */
export function useBench(): Bench {
  const bench = new LiveBench();
  beforeAll(() => bench.launch(), 60_000);
  beforeEach(() => bench.begin());
  afterEach(() => bench.end());
  afterAll(() => bench.browser.close());
  return bench;
}
