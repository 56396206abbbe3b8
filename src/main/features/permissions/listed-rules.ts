/** Composes what the page Settings › Permissions shows and changes. */

import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentCallExplanation, CallQuestion } from '../../../shared/rules/call-explanation.ts'
import type { ListedEntry, ListedRules } from '../../../shared/rules/contract.ts'
import { checkRule, refusalText } from '../../../shared/rules/rule-form.ts'
import {
  type EntryEdit,
  editableSources,
  type RuleKind,
  ruleKinds,
  type WrittenRule,
} from '../../../shared/rules/written-rule.ts'
import { isMcp, readToolEntry } from '../../../shared/tools/tool-entry.ts'
import { toolFacts } from '../../../shared/tools/tool-facts.ts'
import { type ExplainDeps, explainAgentCall } from '../../runtime/loop/explain-agent-call.ts'
import { shadowedRules } from '../../runtime/permissions/shadowed-rules.ts'
import { editPermissions, permissionFile } from '../settings/edit-permissions.ts'
import type { ComposedSettings, FolderPermissions } from '../settings/feature.ts'
import { type LooseningEntry, rulePlaceOf } from '../settings/permission-settings.ts'
import type { ComposedTexts } from './waiting-texts.ts'

export interface ComposedRules {
  rules(folder: string): Promise<ListedRules>
  /** Fails with `bad-rule`, `untrusted`, and as `editPermissions`. */
  editRule(folder: string, edit: EntryEdit): Promise<Result<void>>
  /** Approves an entry of the folder's local file. Fails with `io`. */
  approve(folder: string, entry: LooseningEntry): Promise<Result<void>>
  testCall(question: CallQuestion): Promise<Result<AgentCallExplanation>>
}

interface ComposeRulesOptions {
  readonly dataFolder: string
  readonly home: string
  readonly permissions: (folder: string) => Promise<FolderPermissions>
  readonly approveEntries: ComposedSettings['approveEntries']
  readonly deps: ExplainDeps
}

export function composeRules({
  dataFolder,
  home,
  permissions,
  approveEntries,
  deps,
}: ComposeRulesOptions): ComposedRules {
  const { rules, policy, tools } = deps
  const filesOf = (folder: string) => ({ folder, home, dataFolder })
  return {
    async rules(folder) {
      const [held, written] = await Promise.all([rules.of(folder), permissions(folder)])
      const shadowed = shadowedRules(held)
      const unusedBecause = (rule: WrittenRule): string | null => {
        const by = shadowed.get(rule)
        return by === undefined
          ? null
          : `It never counts: ${by.rule.text} in ${by.rule.where} ${by.kind === 'deny' ? 'denies' : 'asks about'} these calls first.`
      }
      const listed = (rule: WrittenRule, list: ListedEntry['list'], unused: string | null): ListedEntry => ({
        ...rule,
        list,
        unused,
        locked: lockedBecause(rule),
      })
      const refused = written.refused.map(({ list, because, waits, ...rule }) => ({
        ...listed(rule, list, because),
        ...(waits && { waits }),
      }))
      return {
        held,
        entries: [
          ...ruleKinds.flatMap((kind) => [
            ...held[kind]
              .filter(({ isRefused }) => !isRefused)
              .map((rule) => listed(rule, kind, unusedBecause(rule))),
            ...refused.filter(({ list }) => list === kind),
          ]),
          ...written.folders.map((rule) => listed(rule, 'additionalDirectories', null)),
          ...refused.filter(({ list }) => list === 'additionalDirectories'),
        ],
        files: editableSources.map((source) => {
          const file = permissionFile(filesOf(folder), source)
          return {
            source,
            shown: rulePlaceOf(file, null, { home, folder }),
            problem: written.broken.includes(file)
              ? 'The file is broken, so it can’t be changed here. Correct it by hand.'
              : source === 'local' && !policy.trusted(folder)
                ? UNTRUSTED
                : null,
          }
        }),
        problems: written.problems,
      }
    },
    async editRule(folder, edit) {
      const { from, to } = edit
      const problem =
        to === null || to.list === 'additionalDirectories'
          ? null
          : ruleProblem(to.text, to.list, tools.names())
      if (problem !== null) return fail({ type: 'bad-rule', message: problem })
      if ([from?.source, to?.source].includes('local') && !policy.trusted(folder))
        return fail({ type: 'untrusted', message: UNTRUSTED })
      const edited = await editPermissions(filesOf(folder), edit)
      if (!edited.ok) return edited
      if (to?.source === 'local' && (to.list === 'allow' || to.list === 'additionalDirectories')) {
        const approved = await approveEntries(folder, { list: to.list, text: to.text })
        if (!approved.ok) return approved
      }
      rules.changed(to?.list === 'allow' ? to.text : null)
      return from?.source === 'saved' ? rules.forget(folder, from.text) : edited
    },
    async approve(folder, entry) {
      const approved = await approveEntries(folder, entry)
      if (!approved.ok) return approved
      rules.changed(entry.list === 'allow' ? entry.text : null)
      return ok(undefined)
    },
    testCall: (question) => explainAgentCall(question, deps),
  }
}

/** Answers the window: rules, and texts that wait. Each change is answered with the new list. */
export function ruleHandlers(
  rules: ComposedRules,
  texts: Pick<ComposedTexts, 'waiting' | 'approve'>,
): HandlersOf<'rules'> & HandlersOf<'texts'> {
  const listed = async (folder: string, done: Result<void>) =>
    done.ok ? ok(await rules.rules(folder)) : done
  return {
    'rules.list': async ({ folder }) => ok(await rules.rules(folder)),
    'rules.edit': async ({ folder, ...edit }) => listed(folder, await rules.editRule(folder, edit)),
    'rules.approve': async ({ folder, ...entry }) => listed(folder, await rules.approve(folder, entry)),
    'rules.test': (question) => rules.testCall(question),
    'texts.waiting': async ({ folder }) => ok(await texts.waiting(folder)),
    'texts.approve': async ({ folder, ...text }) => {
      const approved = await texts.approve(folder, text)
      return approved.ok ? ok(await texts.waiting(folder)) : approved
    },
  }
}

const UNTRUSTED = 'The folder is not trusted, so its settings files do not count.'

function lockedBecause({ source }: WrittenRule): string | null {
  switch (source) {
    case 'managed':
      return 'Your administrator sets this rule.'
    case 'project':
      return 'This rule belongs to the project. Change it in its file, as part of the project.'
    case 'command-line':
      return 'This rule holds until Troupe ends. It is an option of the command line.'
    default:
      return null
  }
}

/** Why a text can't be added to a list, as sentences; null: it can. `tools`: also those of plugins. */
export function ruleProblem(text: string, list: RuleKind, tools: readonly string[]): string | null {
  const { name, rule } = readToolEntry(text)
  const isWhole = rule === null && text.trim() === name
  if (isWhole && (tools.includes(name) || toolFacts(name) !== null)) return null
  const form = checkRule(text, list)
  if (!form.ok) return `${refusalText(text, form)}${form.instead === null ? ` ${EXAMPLES}` : ''}`
  return toolFacts(name) === null && !isMcp(name) ? `There is no tool ${name}. ${EXAMPLES}` : null
}

const EXAMPLES = 'Examples: Bash(npm run:*), Edit(src/**), WebFetch(domain:example.com).'
