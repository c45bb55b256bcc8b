/** For `node --import`: a gateway in a process of its own trusts the fake WhatsApp. */
import { trustFakeWhatsApp } from './whatsapp-noise.ts';

trustFakeWhatsApp();
