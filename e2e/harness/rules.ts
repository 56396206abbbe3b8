/** Permission rules for the harness, with every state that the page shows. */

import type { AgentCallExplanation, CallQuestion } from '../../src/shared/rules/call-explanation.ts'
import type { ListedEntry, ListedRules } from '../../src/shared/rules/contract.ts'
import type { EntryEdit, EntryPlace, WrittenRule } from '../../src/shared/rules/written-rule.ts'

/** Handlers of the window's commands about rules. Edits change the list; every test has the same answer. */
export function ruleHandlers() {
  let entries: readonly ListedEntry[] = ENTRIES
  const rules = (): ListedRules => ({ held: noRules, entries, files: FILES, problems: PROBLEMS })
  return {
    'rules.list': rules,
    'rules.edit': ({ from, to }: EntryEdit) => {
      const added = to === null ? [] : [entry(to.list, to.text, to.source)]
      entries = [...entries.filter((one) => from === null || !isAt(one, from)), ...added]
      return rules()
    },
    'rules.approve': ({ list, text }: Pick<ListedEntry, 'list' | 'text'>) => {
      entries = entries.map((one) =>
        isAt(one, { list, text, source: 'local' }) ? entry(list, text, 'local') : one,
      )
      return rules()
    },
    'texts.waiting': () => [],
    'texts.approve': () => [],
    'rules.test': ({ agent, mode }: CallQuestion): AgentCallExplanation => ({
      ...{ agent, mode, trusted: true, tool: 'Bash', text: COMMAND },
      ...{ decision: 'deny', because: `Denied by the rule ${PUSH.text} in ${PUSH.where}.`, remedy: null },
      rules: [PUSH],
      parts: [
        {
          ...{ text: 'npm run build', decision: 'allow', remedy: null, rules: [BUILD] },
          because: `Allowed by the rule ${BUILD.text} in ${BUILD.where}.`,
        },
        {
          ...{ text: 'git push origin HEAD 2>&1', decision: 'deny', remedy: null, rules: [PUSH] },
          because: `Denied by the rule ${PUSH.text} in ${PUSH.where}.`,
        },
        {
          ...{
            text: 'tee push.log',
            decision: 'ask',
            because: 'tee can change files or run code.',
            rules: [],
          },
          remedy: 'The rule Bash(tee push.log) would allow this; only the user can add it.',
        },
      ],
    }),
  } as const
}

const COMMAND = 'npm run build && git push origin HEAD 2>&1 | tee push.log'

const isAt = (one: ListedEntry, { source, list, text }: EntryPlace): boolean =>
  one.source === source && one.list === list && one.text === text

const PLACES: Readonly<
  Record<WrittenRule['source'], { readonly file: string; readonly locked: string | null }>
> = {
  managed: { file: '/etc/troupe/settings.json', locked: 'Your administrator sets this rule.' },
  project: { file: '.claude/settings.json', locked: 'This rule belongs to the project.' },
  'command-line': { file: 'the command line (--deny)', locked: 'This rule holds until Troupe ends.' },
  local: { file: '.claude/settings.local.json', locked: null },
  own: { file: '~/.config/troupe/settings.json', locked: null },
  user: { file: '~/.claude/settings.json', locked: null },
  saved: { file: 'the rules of this folder', locked: null },
}

/** The window shows the entries. */
const noRules = { deny: [], ask: [], allow: [], additionalDirectories: [] }

let lines = 8

function entry(
  list: ListedEntry['list'],
  text: string,
  source: WrittenRule['source'],
  unused: string | null = null,
): ListedEntry {
  const { file, locked } = PLACES[source]
  const hasLine = source !== 'saved' && source !== 'command-line'
  const line = hasLine ? ++lines : null
  return { list, text, source, file, line, where: hasLine ? `${file}:${line}` : file, locked, unused }
}

const PUSH = entry('deny', 'Bash(git push:*)', 'managed')
const BUILD = entry('allow', 'Bash(npm run build)', 'own')

const ENTRIES: readonly ListedEntry[] = [
  PUSH,
  entry('deny', 'Read(secrets/**)', 'managed'),
  entry('deny', 'Edit', 'command-line'),
  entry('deny', 'Bash(rm -rf:*)', 'project'),
  entry('deny', 'WebFetch(domain:*.internal)', 'user'),
  entry('deny', 'mcp__linear__delete_issue', 'local'),
  entry('ask', 'Edit(.github/**)', 'project'),
  entry('ask', 'Bash(npm publish:*)', 'own'),
  BUILD,
  entry('allow', 'Bash(npm run codemod -- charge-key --write src/checkout/**/*.ts)', 'saved'),
  entry('allow', 'Bash(npm test:*)', 'own'),
  entry(
    'allow',
    'Bash(git push --dry-run:*)',
    'user',
    `It never counts: ${PUSH.text} in ${PUSH.where} denies these calls first.`,
  ),
  entry('allow', 'WebFetch(domain:docs.stripe.com)', 'local'),
  entry('allow', 'Edit(docs/**)', 'user'),
  entry('allow', 'Bash(make)', 'project', 'It is ignored: a project’s settings can’t loosen permissions.'),
  entry(
    'allow',
    'Read(',
    'user',
    'The rule "Read(" has brackets that are empty or not balanced. It allows nothing.',
  ),
  entry('additionalDirectories', '~/src/design-tokens', 'local'),
]

const FILES: ListedRules['files'] = [
  { source: 'own', shown: '~/.config/troupe/settings.json', problem: null },
  { source: 'user', shown: '~/.claude/settings.json', problem: null },
  { source: 'local', shown: '.claude/settings.local.json', problem: null },
]

const PROBLEMS: readonly string[] = [
  '.claude/settings.json:22: The rules that allow are ignored: a project’s settings can’t loosen permissions.',
  '~/.claude/settings.json:24:9: The rule "Read(" has brackets that are empty or not balanced. It allows nothing.',
]
