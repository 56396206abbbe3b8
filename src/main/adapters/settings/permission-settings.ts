/** The `permissions` of settings files: rules, the default mode and additional folders, with the place of each. */
import { isAbsolute, join, relative, resolve } from 'node:path'
import { readToolEntry } from '../../../shared/agent-definition/tool-entry.ts'
import { permissionModes } from '../../../shared/permission-modes.ts'
import { isUsersOwn, type SettingsLayer } from '../../../shared/settings-layers.ts'
import type { PermissionList, RefusedEntry, WrittenRule } from '../../../shared/written-rule.ts'
import { jsonLines } from './json-lines.ts'

export interface LayerPermissions {
  readonly deny: readonly WrittenRule[]
  readonly ask: readonly WrittenRule[]
  readonly allow: readonly WrittenRule[]
  readonly additionalDirectories: readonly string[]
  /** The entries behind `additionalDirectories`, as written. */
  readonly folders: readonly WrittenRule[]
  /** Entries without an effect. */
  readonly refused: readonly RefusedEntry[]
  /** Sentences for the user, with file and line. */
  readonly problems: readonly string[]
  /** Those of the problems that are mistakes. The others are settings that must not count here. */
  readonly mistakes: readonly string[]
}

export interface PermissionContext {
  readonly home: string
  readonly folder: string
  /** Whether the layer may allow something: not a project's file, nor a local one that git tracks. */
  readonly mayLoosen: boolean
  /** Why it may not, as the end of a sentence. */
  readonly because: string
}

/** One layer's permissions. What the layer must not loosen is left out and is a problem. */
export function layerPermissions(layer: SettingsLayer, context: PermissionContext): LayerPermissions {
  const problems: string[] = []
  const mistakes: string[] = []
  const refused: RefusedEntry[] = []
  const given = layer.raw['permissions']
  const none = {
    ...{ deny: [], ask: [], allow: [], additionalDirectories: [], folders: [] },
    ...{ refused, problems, mistakes },
  }
  if (given === undefined) return none
  const lines = layer.text === undefined ? null : jsonLines(layer.text)
  const lineOf = (...path: (string | number)[]) =>
    lines?.get(JSON.stringify(['permissions', ...path])) ?? null
  const whereIs = (line: number | null) => placeOf(layer.file, line, context)
  const note = (line: number | null, text: string) => problems.push(`${whereIs(line)}: ${text}`)
  const complain = (line: number | null, text: string) => {
    note(line, text)
    mistakes.push(`${whereIs(line)}: ${text}`)
  }
  const entry = (text: string, line: number | null): WrittenRule => ({
    ...{ text: text.trim(), source: layer.source, file: layer.file, line, where: whereIs(line) },
  })
  const refuse = (list: PermissionList, rule: WrittenRule, because: string) =>
    refused.push({ ...rule, list, because })
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    complain(lineOf(), '"permissions" is not an object, so it has no effect.')
    return none
  }
  const permissions: Readonly<Record<string, unknown>> = { ...given }

  const entries = (key: string): readonly { readonly value: string; readonly line: number | null }[] => {
    const value = permissions[key]
    if (value === undefined) return []
    if (!Array.isArray(value)) {
      complain(lineOf(key), `"permissions.${key}" is not a list, so it has no effect.`)
      return []
    }
    return value.flatMap((one: unknown, index) => {
      const line = lineOf(key, index)
      if (typeof one === 'string') return { value: one, line }
      complain(line, `An entry of "permissions.${key}" is not a text, so it has no effect.`)
      return []
    })
  }
  const rules = (key: 'allow' | 'ask' | 'deny'): readonly WrittenRule[] =>
    entries(key).flatMap(({ value, line }) => {
      const rule = entry(value, line)
      const { name, isBroken } = readToolEntry(value)
      if (!/^[A-Za-z_][\w-]*\*?$/.test(name)) {
        complain(line, `${JSON.stringify(value)} is not a rule, so it has no effect. ${EXAMPLE}`)
        refuse(key, rule, `This is not a rule. ${EXAMPLE}`)
        return []
      }
      if (!isBroken) return { ...rule, ...meaningOf(value, context.home) }
      if (key === 'allow') {
        complain(
          line,
          `The rule ${JSON.stringify(value)} allows nothing: its brackets are empty or not balanced.`,
        )
        refuse(key, rule, 'It allows nothing: its brackets are empty or not balanced.')
        return []
      }
      const effect = key === 'deny' ? 'It denies all of' : 'It asks about all of'
      complain(line, `The brackets of ${JSON.stringify(value)} are empty or not balanced. ${effect} ${name}.`)
      return { ...rule, meaning: name }
    })

  const ignored = (line: number | null, what: string) => note(line, `${what} ignored: ${context.because}.`)
  let allow = rules('allow')
  if (!context.mayLoosen && allow.length > 0) {
    ignored(lineOf('allow'), 'The rules that allow are')
    for (const rule of allow) refuse('allow', rule, `It is ignored: ${context.because}.`)
    allow = []
  }
  const folders = entries('additionalDirectories')
  // Also inside the folder: a link there may lead anywhere.
  if (!context.mayLoosen)
    for (const { value, line } of folders) {
      ignored(line, `The additional folder ${JSON.stringify(value)} is`)
      refuse('additionalDirectories', entry(value, line), `It is ignored: ${context.because}.`)
    }
  // The settings store applies those of the user's own files.
  const mode = permissions['defaultMode']
  if (mode !== undefined && !isUsersOwn(layer.source))
    note(lineOf('defaultMode'), `The default mode is ignored: it counts only in your own settings.`)
  else if (mode !== undefined && !permissionModes.some((one) => one === mode))
    complain(lineOf('defaultMode'), `"permissions.defaultMode" is not one of ${permissionModes.join(', ')}.`)
  return {
    deny: rules('deny'),
    ask: rules('ask'),
    allow,
    additionalDirectories: context.mayLoosen ? folders.map(({ value }) => absolute(value, context)) : [],
    folders: context.mayLoosen ? folders.map(({ value, line }) => entry(value, line)) : [],
    refused,
    problems,
    mistakes,
  }
}

const EXAMPLE = 'Examples: "Bash(npm test)", "Read(./secrets/**)".'

/** `~/` in a rule for files is the home folder. */
function meaningOf(text: string, home: string): { readonly meaning?: string } {
  const parts = /^(\s*[A-Za-z_]\w*\s*\()\s*~\/(.*)$/s.exec(text)
  const isForFiles = parts !== null && !/^\s*(Bash|WebFetch|WebSearch)\b/.test(text)
  return isForFiles ? { meaning: `${parts[1]}//${home.replace(/^\/+/, '')}/${parts[2]}` } : {}
}

function absolute(path: string, { home, folder }: PermissionContext): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : resolve(folder, path)
}

function isInside(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return below === '' || (below !== '..' && !/^\.\.[\\/]/.test(below) && !isAbsolute(below))
}

/** `.claude/settings.json:12`, `~/.claude/settings.json:3`. */
export function placeOf(
  file: string | null,
  line: number | null,
  { home, folder }: Pick<PermissionContext, 'home' | 'folder'>,
): string {
  if (file === null) return 'the command line'
  const shown = isInside(folder, file)
    ? relative(folder, file)
    : isInside(home, file)
      ? `~/${relative(home, file)}`
      : file
  const path = shown.replaceAll('\\', '/')
  return line === null ? path : `${path}:${line}`
}
