import { createHash } from 'node:crypto'
import { cpSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { build, defineConfig, type Plugin, type Rolldown } from 'vite'

/**
 * The command line as one script that plain Node ≥ 20.18 runs without node_modules (ripgrep's binary aside),
 * and a small module that starts it.
 */
export default defineConfig({
  plugins: [
    startedBy('src/main/start-cli.mjs'),
    withDocuments('src/main/platform/documents/read-document.worker.ts'),
    withSandbox('src/main/features/sandbox/sandbox.worker.ts'),
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
        // Node reads the whole file at each start, so it is made small; names stay for stack traces.
        minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
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
      buildThread(entry, {
        // The library looks for files beside itself, which the text of a document does not need.
        transform: { define: { 'import.meta': '{}' } },
        output: {
          format: 'cjs',
          entryFileNames: 'documents.cjs',
          codeSplitting: false,
          dynamicImportInCjs: false,
        },
      }),
  }
}

/** Builds the thread of the sandbox, and puts the program beside it that keeps commands from local sockets. */
function withSandbox(entry: string): Plugin {
  return {
    name: 'sandbox',
    async closeBundle() {
      await buildThread(entry, {
        output: { format: 'esm', entryFileNames: 'sandbox.mjs', codeSplitting: false },
      })
      const vendor = 'node_modules/@anthropic-ai/sandbox-runtime/vendor/seccomp'
      for (const arch of ['x64', 'arm64'])
        cpSync(`${vendor}/${arch}/apply-seccomp`, `out/seccomp/${arch}/apply-seccomp`)
    },
  }
}

async function buildThread(entry: string, options: Rolldown.RolldownOptions): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    resolve: { conditions: ['node', 'import', 'module', 'default'], mainFields: ['module', 'main'] },
    ssr: { noExternal: true },
    build: {
      ssr: entry,
      target: 'node20.18',
      outDir: 'out',
      emptyOutDir: false,
      copyPublicDir: false,
      minify: true,
      reportCompressedSize: false,
      rolldownOptions: { external: [...builtinModules, /^node:/], ...options },
    },
  })
}

/** Makes the script quick to load, and puts the module that starts it beside it, with the script's hash in it. */
function startedBy(file: string): Plugin {
  return {
    name: 'start',
    generateBundle(_options, bundle) {
      const main = bundle['cli-main.cjs']
      if (main?.type !== 'chunk') throw new Error('cli-main.cjs was not made')
      main.code = asciiOf(withoutCopies(main.code))
      const hash = createHash('sha256').update(main.code).digest('hex')
      const source = readFileSync(file, 'utf8').replace("'hash of the program'", `'${hash}'`)
      if (!source.includes(hash)) throw new Error(`${file} has no place for the hash`)
      this.emitFile({ type: 'asset', fileName: 'cli.mjs', source })
    },
  }
}

/** Node's modules as they are: a copy loads what is behind each of their properties, its streams and its diff. */
function withoutCopies(code: string): string {
  const copied = /\b(\w+)=__toESM\(\1(?:,1)?\);/g
  for (const [, name] of code.matchAll(copied))
    if (code.includes(`${name}.default`)) throw new Error(`only a copy of ${name} has a default`)
  return code.replace(copied, '')
}

/** One byte a character, in memory too. */
function asciiOf(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
