/** Permission rules with the place where they are written. */
import type { SettingsSource } from '../settings/settings-layers.ts'

export interface WrittenRule {
  /** As it is written: `Bash(npm run:*)`. */
  readonly text: string
  /** The same rule in this program's form, if it differs: paths of the home folder are absolute. */
  readonly meaning?: string
  /** Further readings of the rule. Only for rules that deny or ask: a rule that allows has one. */
  readonly alsoMeans?: readonly string[]
  /** Set for a text that is no rule, under deny or ask: what it seems to mean asks until it is corrected. */
  readonly isRefused?: true
  /** `saved`: from "Always allow". */
  readonly source: SettingsSource | 'saved'
  /** Absolute; null: the command line. */
  readonly file: string | null
  /** Counted from 1; null if unknown. */
  readonly line: number | null
  /** File and line as the user sees them: `.claude/settings.json:12`, `--allow`. */
  readonly where: string
}

/** The lists of rules, in the order in which they count. */
export const ruleKinds = ['deny', 'ask', 'allow'] as const
export type RuleKind = (typeof ruleKinds)[number]

/** The lists of `permissions` in a settings file. */
export const permissionLists = [...ruleKinds, 'additionalDirectories'] as const
export type PermissionList = (typeof permissionLists)[number]

/** The settings files whose lists the window changes: those of the user. Others are locked. */
export const editableSources = ['own', 'user', 'local'] as const
export type EditableSource = (typeof editableSources)[number]

/** An entry of a list. `saved`: from "Always allow"; such a rule can only be removed. */
export interface EntryPlace {
  readonly source: EditableSource | 'saved'
  readonly list: PermissionList
  /** As it is written. */
  readonly text: string
}

/** `from` null: a new entry; `to` null: the entry is removed; both: it is changed or moved. */
export interface EntryEdit {
  readonly from: EntryPlace | null
  readonly to: (EntryPlace & { readonly source: EditableSource }) | null
}

/** An entry that does not have the effect of its list, with the reason as sentences. */
export interface RefusedEntry extends Omit<WrittenRule, 'meaning' | 'alsoMeans' | 'isRefused'> {
  readonly list: PermissionList
  readonly because: string
  /** Set for an entry that counts once the user has approved it. */
  readonly waits?: true
}

/** The rules that hold in a folder. They are checked in the order deny, ask, allow. */
export interface FolderRules {
  readonly deny: readonly WrittenRule[]
  readonly ask: readonly WrittenRule[]
  readonly allow: readonly WrittenRule[]
  /** Folders that agents use like their own: absolute, links not resolved. */
  readonly additionalDirectories: readonly string[]
}
