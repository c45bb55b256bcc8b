/** What every adapter must do, whatever its platform. Each platform's test file runs this over its own fake. */
import { afterEach, beforeEach, describe } from 'vitest';
import { asking } from './contract/asking.ts';
import { Bench } from './contract/bench.ts';
import { placing } from './contract/placing.ts';
import { receiving } from './contract/receiving.ts';
import { restarting } from './contract/restarting.ts';
import type { AdapterContract } from './contract/rig.ts';
import { sending } from './contract/sending.ts';
import { splitting } from './contract/splitting.ts';

export function adapterContract(contract: AdapterContract): void {
  describe(`${contract.name} as an adapter`, () => {
    const bench = new Bench(contract);
    beforeEach(() => bench.open());
    afterEach(() => bench.close());
    receiving(bench);
    sending(bench);
    asking(bench);
    restarting(bench);
    splitting(bench);
    placing(bench);
  });
}
