import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: ['schema', 'account-schema', 'people-schema', 'audit-schema', 'prompt-schema', 'directory-schema'].map(
    (name) => `./gateway/store/${name}.ts`,
  ),
  out: './migrations',
});
