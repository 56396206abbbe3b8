/**
 * The permission rules that hold in a folder: those of the command line, of the settings files, and those that the
 * user added with "Always allow": `projects/<hash of the folder>/permissions.json` in the data folder, where a
 * repository can neither bring nor read them. Files are read again when they change. Unknown content is kept.
 */
import { statSync } from 'node:fs'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { checkRule, refusalText } from '../../../shared/rules/rule-form.ts'
import type { FolderRules, WrittenRule } from '../../../shared/rules/written-rule.ts'
import { replaceFile } from '../../platform/system/atomic-file.ts'
import { draftMark } from '../../platform/system/draft-name.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import { projectFolder } from '../../platform/system/project-folder.ts'
import type { PermissionRules } from '../../runtime/ports/ports.ts'

/** The place of a saved rule, as the user sees it. */
const SAVED = 'the rules of this folder'

/** Invalid entries are skipped, so that one mistake does not void the other rules. */
const fileSchema = z.looseObject({ allow: z.array(z.unknown()).catch([]) })
type RulesFile = z.infer<typeof fileSchema>

type Read =
  | { readonly kind: 'rules'; readonly content: RulesFile }
  | { readonly kind: 'none' }
  | { readonly kind: 'broken'; readonly message: string }

export function createPermissionRules(options: {
  readonly dataFolder: string
  /** The rules of the settings files. */
  readonly settings?: (folder: string) => Promise<FolderRules & { readonly problems: readonly string[] }>
  /** Rules of the command line: they apply in every folder until the program ends, and are not saved. */
  readonly forThisRun?: { readonly allow: readonly string[]; readonly deny: readonly string[] }
  /** Called once for each unreadable file and each broken rule, which don't apply, so that Troupe asks again. */
  readonly onProblem: (message: string) => void
}): PermissionRules {
  const reported = new Set<string>()
  const lock = new KeyedLock()
  const watchers = new Set<{ readonly folder: string; onChange(rule: string | null): void }>()

  const fileOf = (folder: string) => {
    const { real, path } = projectFolder(options.dataFolder, folder)
    return { real, file: join(path, 'permissions.json') }
  }

  const report = (key: string, problem: string): void => {
    if (reported.has(key)) return
    reported.add(key)
    options.onProblem(problem)
  }

  /** From "Always allow". */
  const saved = async (folder: string): Promise<readonly WrittenRule[]> => {
    const { file } = fileOf(folder)
    const read = await readRules(file)
    if (read.kind === 'broken')
      report(read.message, `The permission rules in ${file} can't be read and don't apply: ${read.message}`)
    const texts = read.kind === 'rules' ? rulesOf(read.content) : []
    return texts.flatMap((text) => {
      const form = checkRule(text, 'allow')
      if (form.ok) return { text, source: 'saved', file, line: null, where: SAVED }
      report(`${file}\0${text}`, `${refusalText(text, form)} It allows nothing. Its file is ${file}.`)
      return []
    })
  }

  const ofRun = (kind: 'allow' | 'deny'): readonly WrittenRule[] =>
    (options.forThisRun?.[kind] ?? []).map((text) => ({
      text,
      source: 'command-line',
      file: null,
      line: null,
      where: `the command line (--${kind})`,
    }))

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
      return await write(file, { folder: real, ...content, allow: [...content.allow, rule] })
    } catch (thrown) {
      return notWritten(file, thrown)
    }
  }

  const remove = async ({ file }: { readonly file: string }, rule: string): Promise<Result<void>> => {
    const read = await readRules(file)
    if (read.kind !== 'rules') return ok(undefined)
    const { content } = read
    return write(file, { ...content, allow: content.allow.filter((one) => one !== rule) })
  }

  /** Tells the watchers once the change is written. */
  const told = async (
    file: string,
    rule: string | null,
    changed: Promise<Result<void>>,
  ): Promise<Result<void>> => {
    const result = await changed
    if (result.ok)
      for (const { folder, onChange } of [...watchers]) if (fileOf(folder).file === file) onChange(rule)
    return result
  }

  return {
    async of(folder) {
      const settings = await options.settings?.(folder)
      for (const problem of settings?.problems ?? []) report(problem, problem)
      return {
        deny: [...ofRun('deny'), ...(settings?.deny ?? [])],
        ask: settings?.ask ?? [],
        allow: [...ofRun('allow'), ...(settings?.allow ?? []), ...(await saved(folder))],
        additionalDirectories: settings?.additionalDirectories ?? [],
      }
    },
    forget: (folder, rule) => {
      const found = fileOf(folder)
      return told(
        found.file,
        null,
        lock.withLock(found.file, () => remove(found, rule)),
      )
    },
    allow: (folder, rule) => {
      const found = fileOf(folder)
      return told(
        found.file,
        rule,
        lock.withLock(found.file, () => add(found, rule)),
      )
    },
    changed(rule) {
      for (const { onChange } of [...watchers]) onChange(rule)
    },
    watch(folder, onChange) {
      // Each call watches, and few rules change: the folder's file is looked up when one does.
      const watcher = { folder, onChange }
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
}

async function write(file: string, content: object): Promise<Result<void>> {
  try {
    const text = JSON.stringify(content, null, 2)
    await replaceFile(file, `${text}\n`, { durable: true, draft: `${file}.${draftMark()}` })
    return ok(undefined)
  } catch (thrown) {
    return notWritten(file, thrown)
  }
}

const notWritten = (file: string, cause: unknown): Result<void> =>
  fail({ type: 'io', message: `${file} could not be written: ${messageOf(cause)}`, cause })

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
