/**
 * The permission rules that the user added with "Always allow": `projects/<hash of the folder>/permissions.json` in the
 * data folder, where a repository can neither bring nor read them. The file is read each time, because the user or
 * another Troupe process may change it. Unknown content is kept.
 */
import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readToolEntry } from '../../../shared/agent-definition/tool-entry.ts'
import { KeyedLock } from '../../../shared/keyed-lock.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'
import type { PermissionRules } from '../../runtime/ports.ts'
import { replaceFile } from '../system/atomic-file.ts'
import { codeOf } from '../system/error-code.ts'
import { projectFolder } from '../system/project-folder.ts'

/** Invalid entries are skipped, so that one mistake does not void the other rules. */
const fileSchema = z.looseObject({ allow: z.array(z.unknown()).catch([]) })
type RulesFile = z.infer<typeof fileSchema>

type Read =
  | { readonly kind: 'rules'; readonly content: RulesFile }
  | { readonly kind: 'none' }
  | { readonly kind: 'broken'; readonly message: string }

export function createPermissionRules(options: {
  readonly dataFolder: string
  /** Rules of the command line: they apply in every folder until the program ends, and are not saved. */
  readonly forThisRun?: { readonly allow: readonly string[]; readonly deny: readonly string[] }
  /** Called once for each unreadable file and each broken rule, which don't apply, so that Troupe asks again. */
  readonly onProblem: (message: string) => void
}): PermissionRules {
  const reported = new Set<string>()
  const lock = new KeyedLock()

  const fileOf = (folder: string) => {
    const { real, path } = projectFolder(options.dataFolder, folder)
    return { real, file: join(path, 'permissions.json') }
  }

  const list = async (folder: string): Promise<readonly string[]> => {
    const { file } = fileOf(folder)
    const read = await readRules(file)
    if (read.kind === 'broken' && !reported.has(read.message)) {
      reported.add(read.message)
      options.onProblem(`The permission rules in ${file} can't be read and don't apply: ${read.message}`)
    }
    const saved = read.kind === 'rules' ? rulesOf(read.content) : []
    for (const rule of saved) {
      const key = `${file}\0${rule}`
      if (!readToolEntry(rule).isBroken || reported.has(key)) continue
      reported.add(key)
      options.onProblem(
        `The permission rule "${rule}" in ${file} allows nothing: its brackets are empty or not balanced.`,
      )
    }
    return [...(options.forThisRun?.allow ?? []), ...saved]
  }

  const add = async (
    { real, file }: { readonly real: string; readonly file: string },
    rule: string,
  ): Promise<Result<void>> => {
    try {
      const read = await readRules(file)
      if (read.kind === 'rules' && rulesOf(read.content).includes(rule)) return ok(undefined)
      // Keep a broken file: the user may have mistyped something.
      if (read.kind === 'broken') await rename(file, `${file}.broken`)
      const content = read.kind === 'rules' ? read.content : { allow: [] }
      const text = JSON.stringify({ folder: real, ...content, allow: [...content.allow, rule] }, null, 2)
      await replaceFile(file, `${text}\n`, { durable: true, draft: `${file}.${randomUUID()}` })
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
    denied: () => options.forThisRun?.deny ?? [],
    allow: (folder, rule) => {
      const found = fileOf(folder)
      return lock.withLock(found.file, () => add(found, rule))
    },
  }
}

function rulesOf(content: RulesFile): readonly string[] {
  return content.allow.filter((rule) => typeof rule === 'string')
}

async function readRules(file: string): Promise<Read> {
  try {
    // Synchronous: it runs at each tool call, and a thread switch would cost more. Mostly the file does not exist.
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return { kind: 'none' }
    return { kind: 'rules', content: fileSchema.parse(JSON.parse(await readFile(file, 'utf8'))) }
  } catch (thrown) {
    return codeOf(thrown) === 'ENOENT' ? { kind: 'none' } : { kind: 'broken', message: messageOf(thrown) }
  }
}
