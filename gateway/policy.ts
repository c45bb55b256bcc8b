/** Which tool calls run. The tool's own risk decides: what a person would have to approve is refused as long as nobody can be asked. */
import type { Policy } from '../agent/policy.ts';

export function createPolicy(): Policy {
  return {
    decide: (_call, risk) => {
      switch (risk.level) {
        case 'safe':
          return { verdict: 'allow', reason: '' };
        case 'ask':
          return {
            verdict: 'deny',
            reason: `Refused: ${risk.why} This gateway refuses what would need a person's approval. Do not try to get around it; do it another way or tell the person what you would have run.`,
          };
        case 'hardline':
          return { verdict: 'deny', reason: `Refused: ${risk.why} This is never allowed, whoever asks for it.` };
        default:
          return risk.level satisfies never;
      }
    },
  };
}
