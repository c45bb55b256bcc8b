import type { Act } from './verbs.ts';

export const act: Act = ({ deps, options }) => deps.run({ verbose: options['verbose'] === true });
