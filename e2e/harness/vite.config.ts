/**
 * Serves the window with a fake main process: `vite --config e2e/harness/vite.config.ts`. The preview of the build has
 * the same content security policy as the program's own page.
 */
import { join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { contentSecurityPolicy } from '../../src/main/desktop/security/app-origin.ts'

const root = join(import.meta.dirname, '..', '..')

// biome-ignore lint/style/noDefaultExport: Vite reads the default export
export default defineConfig({
  root,
  plugins: [react(), tailwindcss()],
  preview: { headers: { 'content-security-policy': contentSecurityPolicy({ development: false }) } },
  worker: { format: 'es' },
  server: { host: '127.0.0.1', port: 5199, strictPort: false },
  build: {
    target: 'chrome130',
    assetsInlineLimit: 0,
    outDir: process.env['TROUPE_HARNESS_OUT'] ?? join(root, 'out', 'harness'),
    emptyOutDir: true,
    rolldownOptions: { input: join(import.meta.dirname, 'index.html') },
  },
})
