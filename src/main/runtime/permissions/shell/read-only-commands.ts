/**
 * Commands that are known to be read-only, each with its harmless options. Everything outside these tables needs
 * permission, also new options of known programs. Options that read a list of files, follow links while they
 * recurse, write, or start a program are left out on purpose (`sort -o`, `rg --pre`, `grep -R`, `wc --files0-from`,
 * `diff -l`, `file -z`, `date -f`).
 */
import type { CommandEffect, SearchedTree } from './command-effect.ts'
import { both, changes, readsContents, readsNames, readsNothing } from './command-effect.ts'
import type { OptionTable, ReadOptions } from './command-options.ts'
import { readOptions } from './command-options.ts'
import { awkEffect } from './read-only-awk.ts'
import { gitEffect } from './read-only-git.ts'
import {
  conditionEffect,
  dateEffect,
  findEffect,
  jqEffect,
  printfEffect,
  readEffect,
  sedEffect,
  testEffect,
} from './read-only-special.ts'

import { grepTrees, ripgrepTrees } from './search-options.ts'
import type { ShellWord } from './shell-syntax.ts'

/** The effect of a simple command. The first word is the command's name. */
export function effectOf(words: readonly ShellWord[]): CommandEffect {
  const [name, ...rest] = words
  if (name === undefined) return readsNothing
  if (name.value === null) return changes('the name of the command is unknown until it runs')
  const asked = VERSION_QUESTIONS[name.value]
  if (asked && rest.length === 1 && asked.split(' ').includes(rest[0]?.value ?? '')) return readsNothing
  if (Object.hasOwn(SPECIAL, name.value)) return SPECIAL[name.value]?.(rest) ?? unknownCommand(name.value)
  if (!Object.hasOwn(COMMANDS, name.value)) return unknownCommand(name.value)
  const command = COMMANDS[name.value]
  return command ? tableEffect(command, rest) : unknownCommand(name.value)
}

/** The command before `xargs` in a pipeline, and whether `xargs` reads names that end with a zero byte. */
export interface Feed {
  readonly words: readonly ShellWord[]
  readonly endsWithZero: boolean
}

/** The effect of a command that receives further arguments from its input (`xargs`). */
export function openEndedEffect(words: readonly ShellWord[], feed: Feed | null = null): CommandEffect {
  const fed = feed?.words[0]?.value === 'find' ? fedByFind(words, feed) : null
  if (fed?.kind === 'reads') return fed
  const anything: ShellWord = { text: 'what xargs adds', value: null, start: '', glob: false }
  return effectOf([...words, anything])
}

/** `find START … | xargs COMMAND`, as `find START … -exec COMMAND {} +`. */
function fedByFind(words: readonly ShellWord[], { words: find, endsWithZero }: Feed): CommandEffect {
  const word = (text: string): ShellWord => ({ text, value: text, start: text, glob: false })
  const rest = find.slice(1).filter(({ value }) => value !== '-print' && value !== '-print0')
  const effect = findEffect([...rest, word('-exec'), ...words, word('{}'), word('+')], effectOf)
  const isSplit = !endsWithZero || !find.some(({ value }) => value === '-print0')
  if (effect.kind === 'changes' || !isSplit) return effect
  const all = { hidden: true, ignored: true, filters: [], shows: () => false, splits: true }
  return {
    ...effect,
    trees: [...effect.trees, ...effect.names.concat(effect.contents).map((path) => ({ path, ...all }))],
  }
}

function unknownCommand(name: string): CommandEffect {
  return changes(`${name} can change files or run code`)
}

/** The meaning of the operands: files to read, names of files, a pattern and then files, text, or none allowed. */
type Operands = 'contents' | 'names' | 'pattern' | 'text' | 'none' | 'one-input'

interface TableCommand extends OptionTable {
  readonly operands: Operands
  /** The folders that a command with a pattern searches. */
  readonly trees?: (options: ReadOptions['options'], files: readonly string[]) => readonly SearchedTree[]
  /** Whether the command shows the files of folders among its operands. */
  readonly openFolders?: boolean
}

function tableEffect(command: TableCommand, words: readonly ShellWord[]): CommandEffect {
  const read = readOptions(words, command)
  if (!read.ok) return changes(read.because)
  const { operands, options, unclear } = read
  switch (command.operands) {
    case 'contents':
      return { ...readsContents(operands, unclear), openFolders: command.openFolders ?? false }
    case 'names':
      return readsNames(operands, unclear)
    case 'text':
      return unclear ? readsContents([], true) : readsNothing
    case 'none':
      return operands.length > 0 ? changes('its argument may change something') : readsNothing
    case 'one-input':
      // A pattern could match a second file by the time the command runs.
      return operands.length > 1 || operands[0]?.glob
        ? changes('it writes its second file')
        : readsContents(operands, unclear)
    case 'pattern': {
      const hasPattern = options.some(({ name }) => PATTERN_OPTIONS.has(name))
      const [first] = operands
      const mayBeFiles = !hasPattern && first?.value === null
      const files = readsContents(
        hasPattern || first?.glob ? operands : operands.slice(1),
        unclear || mayBeFiles,
      )
      // Some of these commands search the current folder by default.
      const searched = files.contents.length > 0 ? files.contents : ['.']
      return both({ ...files, trees: command.trees?.(options, searched) ?? [] }, readsNames([]))
    }
  }
}

/** With one of these options, the first operand is a file. */
const PATTERN_OPTIONS: ReadonlySet<string> = new Set(['e', 'regexp', 'files', 'type-list'])

const GREP: TableCommand = {
  short: 'EFGPivwxycnlLHhoqrsabzTUuIZe:m:A:B:C:D:d:',
  long:
    'extended-regexp fixed-strings basic-regexp perl-regexp regexp: ignore-case no-ignore-case invert-match ' +
    'word-regexp line-regexp count color:: colour:: files-without-match files-with-matches max-count: ' +
    'only-matching quiet silent no-messages byte-offset with-filename no-filename label: line-number initial-tab ' +
    'null after-context: before-context: context: text binary-files: include: exclude: exclude-dir: recursive ' +
    'line-buffered null-data',
  numeric: true,
  unknown: 'reads',
  operands: 'pattern',
  trees: grepTrees,
}

const CHECKSUM: TableCommand = {
  short: 'btza:',
  long: 'binary text tag zero algorithm: length:',
  operands: 'contents',
}

const COMMANDS: Readonly<Record<string, TableCommand>> = {
  ls: {
    short: 'aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ1w:I:T:',
    long:
      'all almost-all author escape block-size: ignore-backups color:: classify:: directory no-group ' +
      'group-directories-first human-readable si hide: hyperlink:: inode ignore: indicator-style: kibibytes literal ' +
      'numeric-uid-gid quote-name quoting-style: reverse recursive size sort: time: time-style: full-time width: ' +
      'file-type format: context zero',
    unknown: 'harmless',
    operands: 'names',
  },
  stat: {
    short: 'Lftc:',
    long: 'dereference file-system terse format: printf:',
    unknown: 'harmless',
    operands: 'names',
  },
  cat: {
    short: 'AbeEnstTuv',
    long: 'number show-all show-ends show-tabs show-nonprinting squeeze-blank number-nonblank',
    unknown: 'harmless',
    operands: 'contents',
  },
  tac: { short: 'brs:', unknown: 'harmless', operands: 'contents' },
  rev: { unknown: 'harmless', operands: 'contents' },
  head: {
    short: 'n:c:qvz',
    long: 'lines: bytes: quiet silent verbose zero-terminated',
    numeric: true,
    unknown: 'harmless',
    operands: 'contents',
  },
  tail: {
    short: 'n:c:qvz',
    long: 'lines: bytes: quiet silent verbose zero-terminated',
    numeric: true,
    unknown: 'harmless',
    operands: 'contents',
  },
  wc: {
    short: 'clmwL',
    long: 'bytes chars lines words max-line-length',
    unknown: 'reads',
    operands: 'names',
  },
  nl: { short: 'b:d:f:h:i:l:n:ps:v:w:', unknown: 'harmless', operands: 'contents' },
  od: { short: 'A:cdoxvj:N:t:', unknown: 'harmless', operands: 'contents' },
  hexdump: { short: 'bcCdoxn:s:v', unknown: 'reads', operands: 'contents' },
  cut: {
    short: 'b:c:d:f:nsz',
    long: 'bytes: characters: fields: delimiter: only-delimited complement output-delimiter: zero-terminated',
    unknown: 'harmless',
    operands: 'contents',
  },
  paste: { short: 'd:sz', unknown: 'harmless', operands: 'contents' },
  fold: { short: 'bsw:', unknown: 'harmless', operands: 'contents' },
  column: { short: 'ts:c:x', operands: 'contents' },
  comm: { short: '123z', unknown: 'harmless', operands: 'contents' },
  join: { short: 'a:e:i1:2:j:o:t:v:', unknown: 'harmless', operands: 'contents' },
  cmp: { short: 'bls', unknown: 'harmless', operands: 'contents' },
  tr: {
    short: 'cCdst',
    long: 'complement delete squeeze-repeats truncate-set1',
    unknown: 'harmless',
    operands: 'text',
  },
  sort: {
    short: 'bdfghiMnRrVcCmsuzk:t:',
    long:
      'ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort ' +
      'human-numeric-sort numeric-sort random-sort reverse version-sort merge stable unique zero-terminated key: ' +
      'field-separator:',
    operands: 'contents',
  },
  uniq: {
    short: 'cdDiuzf:s:w:',
    long: 'count repeated all-repeated:: ignore-case unique skip-fields: skip-chars: check-chars: zero-terminated group::',
    operands: 'one-input',
  },
  diff: {
    short: 'abBcdeEiNpqstTuwyU:C:F:I:W:',
    long:
      'unified:: context:: brief report-identical-files side-by-side ignore-case ignore-all-space ignore-space-change ' +
      'ignore-blank-lines ignore-matching-lines: text color:: label: minimal show-c-function suppress-common-lines ' +
      'width: left-column strip-trailing-cr no-dereference expand-tabs',
    operands: 'contents',
    openFolders: true,
  },
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: {
    short: 'abcFHiIlnNopPqsSuUvwx0.e:g:j:m:M:r:t:T:A:B:C:d:E:',
    long:
      'after-context: before-context: context: count count-matches case-sensitive ignore-case smart-case color: ' +
      'colors: column no-column line-number no-line-number files files-with-matches files-without-match fixed-strings ' +
      'glob: iglob: heading no-heading hidden no-hidden max-count: max-depth: max-columns: max-filesize: multiline ' +
      'multiline-dotall no-filename with-filename no-ignore no-ignore-vcs no-ignore-parent no-messages null ' +
      'only-matching invert-match word-regexp line-regexp passthru pcre2 pretty quiet regexp: replace: sort: sortr: ' +
      'stats text threads: trim type: type-not: type-list unrestricted no-config json vimgrep byte-offset crlf ' +
      'encoding: engine: version',
    operands: 'pattern',
    trees: ripgrepTrees,
  },
  file: {
    short: 'bhikLN0F:',
    long: 'brief mime mime-type mime-encoding dereference no-dereference keep-going no-pad',
    operands: 'names',
  },
  du: {
    short: 'abchHklmsSxPd:t:0B:',
    long:
      'all apparent-size bytes total max-depth: human-readable inodes si summarize separate-dirs one-file-system ' +
      'threshold: exclude: block-size:',
    unknown: 'reads',
    operands: 'names',
  },
  df: {
    short: 'ahHiklTPBt:x:',
    long: 'all human-readable inodes local portability print-type total si type: exclude-type:',
    unknown: 'harmless',
    operands: 'text',
  },
  tree: {
    short: 'adfipsugDhtrCnqAL:P:I:',
    long: 'dirsfirst noreport prune gitignore du si matchdirs ignore-case',
    operands: 'names',
  },
  realpath: { short: 'emsqLPz', long: 'relative-to: relative-base:', unknown: 'harmless', operands: 'names' },
  readlink: { short: 'efmnqsvz', unknown: 'harmless', operands: 'names' },
  basename: { short: 'as:z', unknown: 'harmless', operands: 'text' },
  dirname: { short: 'z', unknown: 'harmless', operands: 'text' },
  pwd: { short: 'LP', operands: 'none' },
  which: { short: 'as', unknown: 'harmless', operands: 'text' },
  type: { short: 'aftpP', unknown: 'harmless', operands: 'text' },
  whoami: { operands: 'none' },
  id: { short: 'unrGgz', unknown: 'harmless', operands: 'text' },
  groups: { operands: 'text' },
  hostname: { short: 'fsiIAd', operands: 'none' },
  uname: {
    short: 'asnrvmpio',
    long: 'all kernel-name nodename kernel-release kernel-version machine processor operating-system',
    operands: 'none',
  },
  arch: { operands: 'none' },
  nproc: { long: 'all ignore:', operands: 'none' },
  uptime: { short: 'ps', operands: 'none' },
  free: { short: 'bkmghtw', operands: 'none' },
  env: { operands: 'none' },
  ss: { short: 'tulnpaxewmos46HO', operands: 'text' },
  lsof: { short: 'inPtlUa', operands: 'names' },
  seq: { short: 'f:s:w', numeric: true, operands: 'text' },
  sleep: { operands: 'text' },
  true: { unknown: 'harmless', operands: 'text' },
  false: { unknown: 'harmless', operands: 'text' },
  ':': { unknown: 'harmless', operands: 'text' },
  exit: { operands: 'text' },
  break: { operands: 'text' },
  continue: { operands: 'text' },
  printenv: { operands: 'text' },
  base64: { short: 'diw:', long: 'decode ignore-garbage wrap:', operands: 'contents' },
  xxd: { short: 'abceEil:g:o:ps:ul:', operands: 'one-input' },
  md5sum: CHECKSUM,
  sha1sum: CHECKSUM,
  sha256sum: CHECKSUM,
  sha512sum: CHECKSUM,
  shasum: CHECKSUM,
  cksum: CHECKSUM,
}

type Special = (words: readonly ShellWord[]) => CommandEffect

const SPECIAL: Readonly<Record<string, Special>> = {
  git: gitEffect,
  /** The programs of binutils read options from a file: `@FILE`. */
  strings: (words) =>
    words.some(({ value }) => value?.startsWith('@'))
      ? changes('its @ argument is a file with options')
      : tableEffect({ short: 'an:t:', operands: 'contents' }, words),
  find: (words) => findEffect(words, effectOf),
  sed: sedEffect,
  date: dateEffect,
  printf: printfEffect,
  jq: jqEffect,
  test: testEffect,
  '[[': conditionEffect,
  read: readEffect,
  awk: awkEffect,
  gawk: awkEffect,
  mawk: awkEffect,
  /** Without a file, or to the null device. */
  tee: (words) =>
    words.every(({ value }) => value === '/dev/null' || value === '-a')
      ? readsNothing
      : changes('tee writes files'),
  '[': (words) =>
    words.at(-1)?.value === ']' ? testEffect(words.slice(0, -1)) : changes('its closing bracket is missing'),
  /** No option of echo does more than print. */
  echo: () => readsNothing,
  cd: (words) =>
    words.length === 1 && words[0]?.value && !words[0].glob && !words[0].value.startsWith('-')
      ? readsNames(words)
      : { ...readsNothing, unclear: 'goes to a folder that is unknown until it runs' },
  command: (words) =>
    /^-[vV]$/.test(words[0]?.value ?? '') ? readsNothing : changes('command can run code'),
  ps: (words) =>
    words.every((word) => /^(-[AefFlw]+|aux|ax|-ef)$/.test(word.value ?? ''))
      ? readsNothing
      : changes('ps has options that are not known to be safe'),
}

/**
 * Programs with the options that print their version, and with commands that only list. Programs that first start another program named by a file in
 * the folder are left out (yarn, pnpm, cargo, rustc, go, mvn, gradle, dotnet).
 */
const VERSION_QUESTIONS: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  node: '--version -v',
  npm: '--version -v',
  npx: '--version -v',
  bun: '--version -v',
  deno: '--version -V',
  python: '--version -V',
  python3: '--version -V',
  pip: '--version -V list freeze',
  pip3: '--version -V list freeze',
  ruby: '--version -v',
  perl: '--version -v',
  php: '--version -v',
  java: '--version -version',
  javac: '--version -version',
  gcc: '--version',
  'g++': '--version',
  clang: '--version',
  make: '--version -v',
  cmake: '--version',
  git: '--version',
  rg: '--version -V',
  bash: '--version',
  docker: '--version -v ps images',
  tar: '--version',
  curl: '--version -V',
  jq: '--version',
})
