import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: ['./gateway/store/schema.ts', './gateway/store/account-schema.ts'],
  out: './migrations',
});
