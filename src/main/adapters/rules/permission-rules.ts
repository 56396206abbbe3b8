/**
 * The rules a person gave with "always", kept per folder in the data folder, so that a repository can
 * neither bring nor see them: `projects/<hash of the folder>/permissions.json`.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'
import type { PermissionRules } from '../../runtime/ports.ts'

const fileSchema = z.looseObject({ folder: z.string(), allow: z.array(z.string()) })

export function createPermissionRules(options: {
  readonly dataFolder: string
  /** Told once for a file that can't be read: its rules do not hold, so things are asked again. */
  readonly onProblem: (message: string) => void
}): PermissionRules {
  const known = new Map<string, Promise<readonly string[]>>()
  let writing: Promise<unknown> = Promise.resolve()

  const fileOf = async (folder: string) => {
    const real = await realpath(folder).catch(() => folder)
    const hash = createHash('sha256').update(real).digest('hex').slice(0, 16)
    return { real, file: join(options.dataFolder, 'projects', hash, 'permissions.json') }
  }

  const read = async (folder: string): Promise<readonly string[]> => {
    const { file } = await fileOf(folder)
    try {
      return fileSchema.parse(JSON.parse(await readFile(file, 'utf8'))).allow
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT')
        options.onProblem(
          `The permission rules in ${file} can't be read, so they do not hold: ${messageOf(thrown)}`,
        )
      return []
    }
  }

  const list = (folder: string): Promise<readonly string[]> => {
    const rules = known.get(folder) ?? read(folder)
    known.set(folder, rules)
    return rules
  }

  const add = async (folder: string, rule: string): Promise<Result<void>> => {
    const rules = await list(folder)
    if (rules.includes(rule)) return ok(undefined)
    const next = [...rules, rule]
    const { real, file } = await fileOf(folder)
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      const temporary = `${file}.new`
      await writeFile(temporary, `${JSON.stringify({ folder: real, allow: next }, null, 2)}\n`, {
        mode: 0o600,
      })
      await rename(temporary, file)
    } catch (thrown) {
      return fail({
        type: 'io',
        message: `${file} could not be written: ${messageOf(thrown)}`,
        cause: thrown,
      })
    }
    known.set(folder, Promise.resolve(next))
    return ok(undefined)
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
