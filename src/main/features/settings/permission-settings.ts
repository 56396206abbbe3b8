/** The `permissions` of settings files: rules, the default mode and additional folders, with the place of each. */
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { sentence } from '../../../shared/kernel/result.ts'
import { permissionModes } from '../../../shared/permissions/permission-modes.ts'
import { checkRule, type RuleList, refusalText } from '../../../shared/rules/rule-form.ts'
import type {
  PermissionList,
  RefusedEntry,
  RuleKind,
  WrittenRule,
} from '../../../shared/rules/written-rule.ts'
import { isUsersOwn, type SettingsLayer } from '../../../shared/settings/settings-layers.ts'
import { readToolEntry } from '../../../shared/tools/tool-entry.ts'
import { toolFacts } from '../../../shared/tools/tool-facts.ts'
import { type JsonPlace, jsonPlaces } from '../../platform/json/json-text.ts'

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
  /** Whether the user has seen an entry that loosens; missing: every entry counts as seen. */
  readonly isSeen?: (entry: LooseningEntry) => boolean
}

/** An entry of a file of the folder that gives agents more than they had. */
export interface LooseningEntry {
  readonly list: 'allow' | 'additionalDirectories'
  readonly text: string
}

/** The entries of a layer that loosen, as written. */
export function looseningEntries({ raw }: SettingsLayer): readonly LooseningEntry[] {
  const permissions: unknown = raw['permissions']
  if (typeof permissions !== 'object' || permissions === null) return []
  const given: Readonly<Record<string, unknown>> = { ...permissions }
  return (['allow', 'additionalDirectories'] as const).flatMap((list) => {
    const entries = given[list]
    return Array.isArray(entries)
      ? entries.flatMap((text: unknown) => (typeof text === 'string' ? [{ list, text: text.trim() }] : []))
      : []
  })
}

const UNSEEN =
  'It came into the file after you last saw it. Approve it in Settings › Permissions, or with "troupe permissions approve"'

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
  const places = layer.text === undefined ? null : jsonPlaces(layer.text)
  const placeIn = (...path: (string | number)[]) =>
    places?.get(JSON.stringify(['permissions', ...path])) ?? null
  const note = (place: JsonPlace | null, text: string) => {
    const column = place === null ? '' : `:${place.column}`
    const problem = `${rulePlaceOf(layer.file, place?.line ?? null, context)}${column}: ${text}`
    problems.push(problem)
    return problem
  }
  const complain = (place: JsonPlace | null, text: string) => mistakes.push(note(place, text))
  const entry = (text: string, place: JsonPlace | null): WrittenRule => {
    const line = place?.line ?? null
    const where = rulePlaceOf(layer.file, line, context)
    return { text: text.trim(), source: layer.source, file: layer.file, line, where }
  }
  const refuse = (list: PermissionList, rule: WrittenRule, because: string) =>
    refused.push({ ...rule, list, because })
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    complain(placeIn(), '"permissions" is not an object, so it has no effect.')
    return none
  }
  const permissions: Readonly<Record<string, unknown>> = { ...given }

  const entries = (key: string): readonly { readonly value: string; readonly place: JsonPlace | null }[] => {
    const value = permissions[key]
    if (value === undefined) return []
    if (!Array.isArray(value)) {
      complain(placeIn(key), `"permissions.${key}" is not a list, so it has no effect.`)
      return []
    }
    return value.flatMap((one: unknown, index) => {
      const place = placeIn(key, index)
      if (typeof one === 'string') return { value: one, place }
      complain(place, `An entry of "permissions.${key}" is not a text, so it has no effect.`)
      return []
    })
  }
  /** Rules that ask instead of refused ones that should deny or ask. */
  const asking: WrittenRule[] = []
  const rules = (key: RuleKind): readonly WrittenRule[] =>
    entries(key).flatMap(({ value, place }) => {
      const rule = entry(value, place)
      const form = checkRule(value, key)
      if (form.ok) {
        const meanings = ruleMeanings(rule.text, { list: key, base: baseOf(layer) })
        if (form.note !== null) note(place, form.note)
        if (meanings.note !== null) note(place, meanings.note)
        return { ...rule, ...meanings.rule }
      }
      const asks = key === 'allow' ? null : form.asks
      const effect = asks === null ? EFFECTLESS[key] : `Until it is corrected, Troupe asks about ${asks}.`
      const because = `${refusalText(value, form)} ${effect}`
      complain(place, because)
      refuse(key, rule, because)
      if (asks !== null) asking.push({ ...rule, meaning: asks, isRefused: true })
      return []
    })

  const ignored = (place: JsonPlace | null, what: string) =>
    note(place, `${what} ignored: ${sentence(context.because)}`)
  const waits = (list: LooseningEntry['list'], rule: WrittenRule) => {
    problems.push(`${rule.where}: ${rule.text} does not count yet. ${UNSEEN}.`)
    refused.push({ ...rule, list, because: `${UNSEEN}.`, waits: true })
  }
  let allow = rules('allow')
  if (!context.mayLoosen && allow.length > 0) {
    ignored(placeIn('allow'), 'The rules that allow are')
    for (const rule of allow) refuse('allow', rule, `It is ignored: ${sentence(context.because)}`)
    allow = []
  }
  const isSeen = (list: LooseningEntry['list'], text: string) =>
    context.isSeen?.({ list, text: text.trim() }) !== false
  allow = allow.filter((rule) => {
    const seen = isSeen('allow', rule.text)
    if (!seen) waits('allow', rule)
    return seen
  })
  const allFolders = entries('additionalDirectories')
  const folders = allFolders.filter(({ value, place }) => {
    const seen = !context.mayLoosen || isSeen('additionalDirectories', value)
    if (!seen) waits('additionalDirectories', entry(value, place))
    return seen
  })
  // Also inside the folder: a link there may lead anywhere.
  if (!context.mayLoosen)
    for (const { value, place } of folders) {
      ignored(place, `The additional folder ${JSON.stringify(value)} is`)
      refuse('additionalDirectories', entry(value, place), `It is ignored: ${sentence(context.because)}`)
    }
  // The settings store applies those of the user's own files.
  const mode = permissions['defaultMode']
  if (mode !== undefined && !isUsersOwn(layer.source))
    note(placeIn('defaultMode'), `The default mode is ignored: it counts only in your own settings.`)
  else if (mode !== undefined && !permissionModes.some((one) => one === mode))
    complain(placeIn('defaultMode'), `"permissions.defaultMode" is not one of ${permissionModes.join(', ')}.`)
  const deny = rules('deny')
  const ask = rules('ask')
  return {
    deny,
    ask: [...ask, ...asking],
    allow,
    additionalDirectories: context.mayLoosen ? folders.map(({ value }) => absolute(value, context)) : [],
    folders: context.mayLoosen ? folders.map(({ value, place }) => entry(value, place)) : [],
    refused,
    problems,
    mistakes,
  }
}

const EFFECTLESS = { deny: 'It denies nothing.', ask: 'It asks about nothing.', allow: 'It allows nothing.' }

/** The folder in which a pattern such as `/src/**` starts; null: the project's. */
function baseOf({ source, file }: SettingsLayer): string | null {
  return file === null || source === 'project' || source === 'local' ? null : dirname(file)
}

function absolute(path: string, { home, folder }: PermissionContext): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : resolve(folder, path)
}

function isInside(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return below === '' || (below !== '..' && !/^\.\.[\\/]/.test(below) && !isAbsolute(below))
}

/** `.claude/settings.json:12`, `~/.claude/settings.json:3`. */
export function rulePlaceOf(
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

interface RuleMeanings {
  readonly rule: Pick<WrittenRule, 'meaning' | 'alsoMeans'>
  /** A sentence for the user; null: the meaning is clear. */
  readonly note: string | null
}

/**
 * The meanings of a path with one slash at its start. As elsewhere, `/src/**` in a project's settings starts at the
 * project's folder, and in the user's settings at the folder of the settings file. People often mean something else, so a
 * rule that denies or asks holds for each reading, and the user is told.
 */
function ruleMeanings(
  text: string,
  {
    list,
    base,
  }: {
    readonly list: RuleList
    /** The folder of the settings file; null: the patterns start at the project's folder. */
    readonly base: string | null
  },
): RuleMeanings {
  const { name, rule: pattern } = readToolEntry(text)
  const covers = toolFacts(name)?.covers ?? []
  const isPath = covers.length > 0 && !covers.includes('command')
  if (!isPath || pattern === null || !/^\/[^/]/.test(pattern)) return { rule: {}, note: null }
  const rule = (path: string) => `${name}(/${path})`
  const inBase = base === null ? null : rule(`${escaped(base)}${pattern}`)
  const fromRoot = SYSTEM_FOLDER.test(pattern) ? rule(pattern) : null
  const start = `The path ${pattern} starts at ${base ?? "the project's folder"}.`
  const note =
    fromRoot === null
      ? null
      : list === 'allow'
        ? `${start} For the folder of the system, write "${fromRoot}".`
        : `${start} The rule also holds for the folder of the system; for that folder only, write "${fromRoot}".`
  if (list === 'allow') return { rule: inBase === null ? {} : { meaning: inBase }, note }
  const others = [inBase, fromRoot].filter((one) => one !== null)
  return { rule: others.length === 0 ? {} : { alsoMeans: others }, note }
}

/** Folders that are at the root of a file system, and hardly ever in a project. */
const SYSTEM_FOLDER =
  /^\/(home|Users|root|etc|usr|var|tmp|opt|mnt|media|srv|private|Volumes|proc|sys|dev|boot|Library|System|Applications)(\/|$)/

function escaped(folder: string): string {
  return folder.replaceAll('\\', '/').replace(/[*?[\]{}]/g, '\\$&')
}
