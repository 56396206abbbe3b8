/** A project, a home and a data folder on the disk, with the source that reads from them. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { isSecret } from '../../../runtime/paths/sensitive-files.ts'
import type { InstructionFile, MemorySource } from '../../../runtime/ports/definitions.ts'
import { createMemorySource, type MemorySourceOptions } from '../memory-source.ts'

/** The result of the source, with paths relative to the test's folder. */
interface Loaded {
  readonly files: readonly InstructionFile[]
  readonly paths: readonly string[]
  readonly texts: readonly string[]
  readonly folder: string | null
  readonly problems: readonly string[]
}

interface MemoryFolders {
  readonly source: MemorySource
  /** The absolute path. */
  at(path: string): string
  /** The path as tests write it. */
  short(path: string): string
  put(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>
  load(
    agent?: Partial<Parameters<MemorySource['load']>[1]>,
    options?: { readonly trusted?: boolean; readonly folder?: string },
  ): Promise<Loaded>
  /** Another source for the same folders. */
  use(options: Partial<MemorySourceOptions>): void
}

const plain = { name: 'Code Reviewer', memory: null, omitProjectInstructions: false } as const

/** Created for each test of the file: `project`, `project/deep`, `home/.claude` and `data`. */
export function memoryFolders(): MemoryFolders {
  let base = ''
  let source: MemorySource | null = null
  const at = (path: string) => join(base, path)
  const short = (path: string) => path.replaceAll(base, '')
  const use: MemoryFolders['use'] = (options) => {
    source = createMemorySource({
      now: Date.now,
      home: at('home'),
      dataFolder: at('data'),
      isSecret,
      ...options,
    })
  }
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'troupe-memory-')))
    for (const folder of ['project/deep', 'home/.claude', 'data'])
      await mkdir(at(folder), { recursive: true })
    use({})
  })
  afterEach(() => rm(base, { recursive: true, force: true }))

  return {
    get source() {
      if (source === null) throw new Error('Outside of a test there is no source.')
      return source
    },
    at,
    short,
    use,
    async put(files) {
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(at(path)), { recursive: true })
        await writeFile(at(path), content)
      }
    },
    async load(agent = {}, { trusted = true, folder = 'project' } = {}) {
      const loaded = await this.source.load(at(folder), { ...plain, ...agent }, { trusted })
      return {
        files: loaded.files,
        paths: loaded.files.map(({ path }) => short(path)),
        texts: loaded.files.map(({ text }) => text),
        folder: loaded.folder === null ? null : short(loaded.folder),
        problems: loaded.problems.map(short),
      }
    },
  }
}
