import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { SMALL, startedBy } from './scripts/start-script.ts'

/**
 * The targets are written out because electron-vite would take them from the installed package,
 * while main and preload must also run on the older Electron of `scripts/runner/fallback-electron.mjs`.
 */
const nodeTarget = 'node20.18'
const chromeTarget = 'chrome130'

export default defineConfig({
  main: {
    plugins: [
      startedBy({
        entry: 'src/main/start-window.mjs',
        folder: 'out/main',
        output: { format: 'cjs', entryFileNames: 'start.cjs' },
      }),
    ],
    build: {
      target: nodeTarget,
      // Everything goes into the program: a package has no node_modules but that of ripgrep.
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: 'src/main/index.ts' },
        output: {
          format: 'cjs',
          entryFileNames: '[name].cjs',
          chunkFileNames: 'chunks/[name]-[hash].cjs',
          // Scripts that are compiled by hand have no `import()`.
          dynamicImportInCjs: false,
          minify: SMALL,
        },
      },
    },
  },
  preload: {
    build: {
      target: nodeTarget,
      // A sandboxed preload can only require electron itself: everything else goes into the one file.
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: 'src/preload/index.ts' },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    plugins: [react(), tailwindcss()],
    worker: { format: 'es' },
    // Nothing as data in the style sheet: the page's rules allow fonts from files only.
    build: {
      target: chromeTarget,
      minify: true,
      assetsInlineLimit: 0,
      // What the window begins with in one file: each file is a question to the main process.
      rolldownOptions: {
        output: { codeSplitting: { groups: [{ name: 'window', tags: ['$initial'] }] } },
      },
    },
  },
})
