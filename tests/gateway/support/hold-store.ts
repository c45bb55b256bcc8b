/** A process that opens the store of a home and waits to be killed. */
import { openStore } from '../../../gateway/store/index.ts';

const [home = '', migrations = ''] = process.argv.slice(2);
const store = openStore({ home, migrations, now: Date.now });
store.meta.set('kept', 'by the killed process');
process.stdout.write('open\n');
// Held on to: what nothing can reach any more is collected, and its lock with it.
setInterval(() => store.file, 1000);
