/** The permission rules of all files that hold in the open folder. */
import { X } from 'lucide-react'
import { useState } from 'react'
import type { WrittenRule } from '../../../shared/written-rule.ts'
import { useSession } from '../../stores/session-store.ts'
import { removeRule, useSettingsFiles } from '../../stores/settings-files-store.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { VisibleText } from '../../ui/visible-text.tsx'
import { Row } from './setting-row.tsx'

const KINDS = [
  ['deny', 'Deny'],
  ['ask', 'Ask'],
  ['allow', 'Allow'],
] as const

export function RuleList() {
  const folder = useSession((state) => state.folder)
  const rules = useSettingsFiles((state) => state.rules)
  const [error, setError] = useState<string | null>(null)
  if (folder === null || rules === null) return null
  const isEmpty = KINDS.every(([kind]) => rules[kind].length === 0)
  return (
    <>
      <Row
        title={`Rules in ${folder.name}`}
        hint={
          isEmpty
            ? 'None yet. “Always allow” in a request saves one, and settings files may hold others.'
            : 'From all settings files: first those that deny, then those that ask, then those that allow.'
        }
        error={error}
      >
        {!isEmpty && (
          <ul aria-label={`Rules in ${folder.name}`} className="flex w-full min-w-0 flex-col gap-1">
            {KINDS.flatMap(([kind, label]) =>
              rules[kind].map((rule) => (
                <RuleLine
                  key={`${kind} ${rule.where} ${rule.text}`}
                  rule={rule}
                  label={label}
                  onRemove={() => void removeRule(folder.path, rule.text).then(setError)}
                />
              )),
            )}
          </ul>
        )}
      </Row>
      {rules.problems.length > 0 && (
        <Row title="Ignored in settings files">
          <ul className="flex w-full min-w-0 flex-col gap-1 text-fg-1 text-xs">
            {rules.problems.map((problem) => (
              <li key={problem} className="break-words">
                <VisibleText>{problem}</VisibleText>
              </li>
            ))}
          </ul>
        </Row>
      )}
    </>
  )
}

function RuleLine({
  rule,
  label,
  onRemove,
}: {
  readonly rule: WrittenRule
  readonly label: string
  readonly onRemove: () => void
}) {
  return (
    <li className="flex min-h-7 items-center gap-2">
      <span className="w-10 shrink-0 text-fg-2 text-xs">{label}</span>
      <span className="min-w-0 break-all font-mono text-fg-0 text-xs">
        <VisibleText>{rule.text}</VisibleText>
      </span>
      <span className="ml-auto min-w-0 break-all text-right font-mono text-fg-2 text-xs">
        <VisibleText>{rule.where}</VisibleText>
      </span>
      {rule.source === 'saved' && <IconButton label={`Remove ${rule.text}`} icon={X} onClick={onRemove} />}
    </li>
  )
}
