import { builtinModules } from 'node:module'
import { defineConfig } from 'vite'

/** The command line as one file that plain Node ≥ 20.18 runs without node_modules (ripgrep's binary aside). */
export default defineConfig({
  // Packages offer browser builds too; a program for Node must not get them.
  resolve: { conditions: ['node', 'import', 'module', 'default'], mainFields: ['module', 'main'] },
  ssr: { noExternal: true, external: ['@vscode/ripgrep', 'electron'] },
  build: {
    ssr: 'src/main/cli.ts',
    target: 'node20.18',
    outDir: 'out',
    emptyOutDir: false,
    copyPublicDir: false,
    minify: false,
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      external: [...builtinModules, /^node:/],
      output: {
        format: 'es',
        entryFileNames: 'cli.mjs',
        codeSplitting: false,
        // Node compiles the whole file at each start, so it is made small; names stay for stack traces.
        minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
        banner: '#!/usr/bin/env node',
      },
    },
  },
})
