/**
 * The rules a person gave with "always", kept per folder in the data folder, so that a repository can
 * neither bring nor see them: `projects/<hash of the folder>/permissions.json`. The file is read each
 * time, since another window or a person may change it; what this program does not know in it stays.
 */
import { createHash, randomUUID } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'
import type { PermissionRules } from '../../runtime/ports.ts'

/** Entries that are no rules are skipped, not refused: one slip must not void all others. */
const fileSchema = z.looseObject({ allow: z.array(z.unknown()).catch([]) })
type RulesFile = z.infer<typeof fileSchema>

type Read =
  | { readonly kind: 'rules'; readonly content: RulesFile }
  | { readonly kind: 'none' }
  | { readonly kind: 'broken'; readonly message: string }

export function createPermissionRules(options: {
  readonly dataFolder: string
  /** Told once for a file that can't be read: its rules do not hold, so things are asked again. */
  readonly onProblem: (message: string) => void
}): PermissionRules {
  const told = new Set<string>()
  let writing: Promise<unknown> = Promise.resolve()

  const fileOf = (folder: string) => {
    const real = realOf(folder)
    const hash = createHash('sha256').update(real).digest('hex').slice(0, 16)
    return { real, file: join(options.dataFolder, 'projects', hash, 'permissions.json') }
  }

  const list = async (folder: string): Promise<readonly string[]> => {
    const { file } = fileOf(folder)
    const read = await readRules(file)
    if (read.kind === 'broken' && !told.has(read.message)) {
      told.add(read.message)
      options.onProblem(`The permission rules in ${file} can't be read, so they do not hold: ${read.message}`)
    }
    return read.kind === 'rules' ? rulesOf(read.content) : []
  }

  const add = async (folder: string, rule: string): Promise<Result<void>> => {
    const { real, file } = fileOf(folder)
    try {
      const read = await readRules(file)
      if (read.kind === 'rules' && rulesOf(read.content).includes(rule)) return ok(undefined)
      // What a person may have mistyped is kept beside it.
      if (read.kind === 'broken') await rename(file, `${file}.broken`)
      const content = read.kind === 'rules' ? read.content : { allow: [] }
      await replace(
        file,
        `${JSON.stringify({ folder: real, ...content, allow: [...content.allow, rule] }, null, 2)}\n`,
      )
      return ok(undefined)
    } catch (thrown) {
      return fail({
        type: 'io',
        message: `${file} could not be written: ${messageOf(thrown)}`,
        cause: thrown,
      })
    }
  }

  return {
    list,
    allow: (folder, rule) => {
      const result = writing.then(() => add(folder, rule))
      writing = result
      return result
    },
  }
}

function rulesOf(content: RulesFile): readonly string[] {
  return content.allow.filter((rule) => typeof rule === 'string')
}

// Asked at each call of a tool: not worth a thread's wake-up, and mostly there is no such file.
function realOf(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    return folder
  }
}

async function readRules(file: string): Promise<Read> {
  try {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return { kind: 'none' }
    return { kind: 'rules', content: fileSchema.parse(JSON.parse(await readFile(file, 'utf8'))) }
  } catch (thrown) {
    const isMissing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT'
    return isMissing ? { kind: 'none' } : { kind: 'broken', message: messageOf(thrown) }
  }
}

/** A reader sees the old file or the new one, whole, also after a crash. */
async function replace(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${randomUUID()}`
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.datasync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (thrown) {
    await rm(temporary, { force: true })
    throw thrown
  }
}
