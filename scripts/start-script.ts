/** The build of the small scripts that start a program with its compiled code. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { build, type Plugin, type Rolldown } from 'vite'

interface StartScript {
  /** The script in src/main. */
  readonly entry: string
  /** The folder of the program. */
  readonly folder: string
  readonly output: Rolldown.OutputOptions
}

/** The options of a program's scripts: V8 reads them whole at each start, so they are small. Names stay, for stack traces. */
export const SMALL = {
  compress: true,
  mangle: false,
  codegen: { removeWhitespace: true },
} as const

/** Makes the program's scripts quick to load, and puts the script beside them that starts it, with their hash in it. */
export function startedBy(start: StartScript): Plugin {
  let hash = ''
  return {
    name: 'start',
    generateBundle(_options, bundle) {
      const all = createHash('sha256')
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue
        chunk.code = asciiOf(withoutCopies(chunk.code))
        all.update(chunk.code)
      }
      hash = all.digest('hex')
    },
    closeBundle: () => buildStart(start, hash),
  }
}

/** Builds a start script for the program with this hash. */
export async function buildStart({ entry, folder, output }: StartScript, hash: string): Promise<void> {
  await buildScript(entry, folder, {
    output,
    plugins: [
      {
        name: 'hash',
        load(id) {
          if (!id.endsWith(entry)) return null
          const source = readFileSync(id, 'utf8').replace("'hash of the program'", `'${hash}'`)
          if (!source.includes(hash)) throw new Error(`${entry} has no place for the hash`)
          return source
        },
      },
    ],
  })
}

/** Builds a script of its own, whole in one file. */
export async function buildScript(
  entry: string,
  folder: string,
  { output, ...options }: Rolldown.RolldownOptions & { readonly output: Rolldown.OutputOptions },
): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    resolve: { conditions: ['node', 'import', 'module', 'default'], mainFields: ['module', 'main'] },
    ssr: { noExternal: true },
    build: {
      ssr: entry,
      target: 'node20.18',
      outDir: folder,
      emptyOutDir: false,
      minify: true,
      reportCompressedSize: false,
      rolldownOptions: {
        external: [...builtinModules, /^node:/],
        output: { codeSplitting: false, ...output },
        ...options,
      },
    },
  })
}

/** Node's modules as they are: a copy loads what is behind each of their properties, its streams and its diff. */
function withoutCopies(code: string): string {
  const copied = /\b(\w+)=__toESM(?:\$\d+)?\(\1(?:,1)?\);/g
  for (const [, name] of code.matchAll(copied))
    if (code.includes(`${name}.default`)) throw new Error(`only a copy of ${name} has a default`)
  return code.replace(copied, '')
}

/** One byte a character, in memory too. */
function asciiOf(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
