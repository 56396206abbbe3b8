/**
 * What the input of a call of an external agent says. Programs name their parameters as they like, so only known names
 * are read, each with its meaning. Everything else may change what the call does, and makes it unclear.
 */
import { resolve } from 'node:path'
import { isRecord } from '../../../platform/json/json-text.ts'
import { quotedWord } from '../../../platform/shell/quoted-word.ts'

interface CallInput {
  /** The command line that the call runs; null: none, or one that can't be read. */
  readonly command: string | null
  /** As written. */
  readonly paths: readonly string[]
  readonly urls: readonly string[]
  /** Whether it has the texts of an edit. */
  readonly hasEdits: boolean
  /** Whether it has something that Troupe can't read, so that what the call does is not known. */
  readonly isUnclear: boolean
}

/** @param cwd the agent's folder, absolute */
export function readCallInput(rawInput: unknown, cwd: string): CallInput {
  if (!isGiven(rawInput)) return NOTHING
  if (!isRecord(rawInput)) return UNCLEAR
  const parts = Object.entries(rawInput).filter(([, value]) => isGiven(value))
  const ofKind = (kind: Kind) => parts.filter(([key]) => kindOf(key) === kind).map(([, value]) => value)
  const unknown = parts.filter(([key, value]) => kindOf(key) === null && !isNumberOrFlag(value))
  const files = ofKind('files').map(pathsOfFiles)
  const named = [...ofKind('path'), ...ofKind('url'), ...ofKind('folder')]
  const isReadable =
    unknown.length === 0 &&
    named.every((value) => typeof value === 'string') &&
    ofKind('remark').every(isRemark) &&
    ofKind('edit').every(isEditText) &&
    files.every((paths) => paths !== null) &&
    // What stands in another folder can't be judged by the paths in it.
    ofKind('folder').every((folder) => typeof folder === 'string' && resolve(cwd, folder) === cwd)
  const command = commandOf(ofKind('command'), ofKind('words'))
  const paths = [...ofKind('path').filter(isText), ...files.flatMap((all) => all ?? [])]
  const hasEdits = ofKind('edit').length > 0 || files.length > 0
  const others = ofKind('parsed')
  const isCommandClear =
    command === null
      ? others.length === 0
      : command !== UNREADABLE &&
        paths.length === 0 &&
        !hasEdits &&
        others.every((parsed) => textsIn(parsed, 'cmd').every((text) => command.includes(text)))
  return {
    command: typeof command === 'string' ? command : null,
    paths: [...new Set(paths)],
    urls: [...new Set(ofKind('url').filter(isText))],
    hasEdits,
    isUnclear: !isReadable || !isCommandClear,
  }
}

/** The command line of a program with its words; null: it can't be read, or it is empty. */
export function commandLine(command: unknown, words: unknown = []): string | null {
  const line = typeof command === 'string' ? [command] : command
  if (!isTexts(line) || !isTexts(words)) return null
  // Whether a shell reads the words again is not known.
  if (words.length > 0 && typeof command === 'string' && /\s/.test(command.trim())) return null
  const all = [...line, ...words]
  if (all.length <= 1) return all[0]?.trim() ? (all[0] ?? null) : null
  const [shell = '', option = '', text = ''] = all
  if (all.length === 3 && /(^|\/)(ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(option)) return text
  return all.map(quotedWord).join(' ')
}

type Kind = 'command' | 'words' | 'parsed' | 'path' | 'files' | 'url' | 'folder' | 'remark' | 'edit'

/** Names in lower case, without `_` and `-`. */
const KINDS: Readonly<Record<Kind, string>> = {
  command: 'command cmd script shellcommand commandline',
  words: 'args',
  // What a program has read in its command.
  parsed: 'parsedcmd commandactions',
  path: 'filepath path abspath absolutepath notebookpath targetfile',
  files: 'files',
  url: 'url',
  folder: 'cwd workdir workingdirectory directory dirpath',
  // These tell and limit, and do nothing.
  remark:
    'description explanation reason justification prompt instruction callid turnid itemid toolcallid pages viewrange encoding format timeout',
  edit: 'content contents oldstring newstring oldtext newtext oldstr newstr newsource filetext cellid celltype editmode edits diff',
}

const kindsByName: ReadonlyMap<string, Kind> = new Map(
  (Object.entries(KINDS) as [Kind, string][]).flatMap(([kind, names]) =>
    names.split(' ').map((name) => [name, kind] as const),
  ),
)

const kindOf = (key: string): Kind | null =>
  kindsByName.get(key.toLowerCase().replaceAll(/[_-]/g, '')) ?? null

const NOTHING: CallInput = { command: null, paths: [], urls: [], hasEdits: false, isUnclear: false }
const UNCLEAR: CallInput = { ...NOTHING, isUnclear: true }

/** The input names a command that can't be read. */
const UNREADABLE = Symbol('unreadable')

function commandOf(
  commands: readonly unknown[],
  words: readonly unknown[],
): string | typeof UNREADABLE | null {
  if (commands.length === 0) return words.length === 0 ? null : UNREADABLE
  if (commands.length > 1 || words.length > 1) return UNREADABLE
  return commandLine(commands[0], words[0]) ?? UNREADABLE
}

/** The paths of a list of changed files, each with both names of a renamed one; null: it can't be read. */
function pathsOfFiles(list: unknown): readonly string[] | null {
  if (!Array.isArray(list)) return null
  const files = list.map((file: unknown) => {
    if (isText(file)) return [file]
    if (!isRecord(file)) return null
    const paths = Object.entries(file)
      .filter(([key]) => kindOf(key) === 'path' || key === 'movePath')
      .map(([, value]) => value)
      .filter(isGiven)
    return paths.length > 0 && paths.every(isText) ? paths : null
  })
  return files.every((paths) => paths !== null) ? files.flatMap((paths) => paths ?? []) : null
}

const isRemark = (value: unknown): boolean =>
  isText(value) || isNumberOrFlag(value) || (Array.isArray(value) && value.every(isNumberOrFlag))

const isEditText = (value: unknown): boolean =>
  isText(value) || isNumberOrFlag(value) || (Array.isArray(value) && value.every(isEdit))

/** One of several edits of a file. */
const isEdit = (value: unknown): boolean =>
  isRecord(value) &&
  Object.entries(value).every(
    ([key, text]) =>
      !isGiven(text) || isNumberOrFlag(text) || (kindOf(key) === 'edit' && typeof text === 'string'),
  )

function textsIn(value: unknown, key: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((part) => textsIn(part, key))
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, part]) =>
    (name === key || name === 'command') && isText(part) ? [part] : textsIn(part, key),
  )
}

function isGiven(value: unknown): boolean {
  if (value === undefined || value === null) return false
  if (typeof value === 'string') return value.trim() !== ''
  return typeof value !== 'object' || Object.keys(value).length > 0
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText)
const isNumberOrFlag = (value: unknown): boolean => typeof value === 'number' || typeof value === 'boolean'
