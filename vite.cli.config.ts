import { cpSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { defineConfig, type Plugin } from 'vite'
import { buildSharedPage } from './scripts/shared-page.ts'
import { buildScript, SMALL, startedBy } from './scripts/start-script.ts'

/**
 * The command line as one script that plain Node ≥ 20.18 runs without node_modules (ripgrep's binary aside),
 * and a small module that starts it.
 */
export default defineConfig({
  plugins: [
    startedBy({
      entry: 'src/main/start-cli.mjs',
      folder: 'out',
      output: { format: 'esm', entryFileNames: 'cli.mjs' },
    }),
    withDocuments('src/main/platform/documents/read-document.worker.ts'),
    withSearch('src/main/features/search/search.worker.ts'),
    withSandbox('src/main/features/sandbox/sandbox.worker.ts'),
    { name: 'shared-page', closeBundle: () => buildSharedPage('out/shared-page.html') },
  ],
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
        format: 'cjs',
        entryFileNames: 'cli-main.cjs',
        codeSplitting: false,
        // A script that is compiled by hand has no `import()`, and what is left to import is Node's own.
        dynamicImportInCjs: false,
        minify: SMALL,
      },
    },
  },
})

/**
 * Builds the thread that reads documents as a script of its own: its libraries are half as large again as the program,
 * which loads whole at each start.
 */
function withDocuments(entry: string): Plugin {
  return {
    name: 'documents',
    closeBundle: () =>
      buildScript(entry, 'out', {
        // The library looks for files beside itself, which the text of a document does not need.
        transform: { define: { 'import.meta': '{}' } },
        output: {
          format: 'cjs',
          entryFileNames: 'documents.cjs',
          dynamicImportInCjs: false,
        },
      }),
  }
}

/** Builds the thread of searches in everything that was said. */
function withSearch(entry: string): Plugin {
  return {
    name: 'search',
    closeBundle: () =>
      buildScript(entry, 'out', {
        // Where ripgrep is, the program says.
        transform: { define: { 'import.meta': '{}' } },
        output: { format: 'cjs', entryFileNames: 'search.cjs', dynamicImportInCjs: false },
      }),
  }
}

/** Builds the thread of the sandbox, and puts the program beside it that keeps commands from local sockets. */
function withSandbox(entry: string): Plugin {
  return {
    name: 'sandbox',
    async closeBundle() {
      await buildScript(entry, 'out', {
        output: { format: 'esm', entryFileNames: 'sandbox.mjs' },
      })
      const vendor = 'node_modules/@anthropic-ai/sandbox-runtime/vendor/seccomp'
      for (const arch of ['x64', 'arm64'])
        cpSync(`${vendor}/${arch}/apply-seccomp`, `out/seccomp/${arch}/apply-seccomp`)
    },
  }
}
