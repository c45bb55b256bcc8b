/** Property tests find the same on every machine; `HERMES_SEED=...` makes them look elsewhere. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['HERMES_SEED'] ?? 1) });
