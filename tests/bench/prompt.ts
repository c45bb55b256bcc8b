/** The fixed part of every request by layer, in tokens as the gateway estimates them. `npm run bench:prompt`; fails above the limit. */
import { mostTokens, promptParts } from './prompt-size.ts';

const parts = promptParts();
const total = parts.reduce((sum, { tokens }) => sum + tokens, 0);
for (const { name, tokens, detail } of parts)
  console.log(`${name.padEnd(24)}${String(tokens).padStart(6)}${detail === '' ? '' : `   (${detail})`}`);
console.log(`${'together'.padEnd(24)}${String(total).padStart(6)}   of at most ${mostTokens}`);
process.exitCode = total < mostTokens ? 0 : 1;
