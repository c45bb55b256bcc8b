import { askDaemon } from './ask-daemon.ts';
import { type Act, exitCodes } from './verbs.ts';

export const act: Act = async ({ deps, print }) => {
  await askDaemon(deps, { method: 'POST', route: '/api/restart' });
  print('The gateway restarts: it takes no new work, waits a while for what is running, and goes on with the rest afterwards.');
  return exitCodes.ok;
};
