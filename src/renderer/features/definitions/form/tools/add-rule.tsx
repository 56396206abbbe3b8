/** Adds a rule that allows or denies part of a tool, such as `Bash(git diff:*)`. */
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../../ui/button.tsx'
import { ChipButton } from '../../../../ui/chip.tsx'
import { Popover } from '../../../../ui/popover.tsx'
import { INPUT_CLASS } from '../../../../ui/text-field.tsx'
import { ruleEntry } from './tool-groups.ts'
import type { ToolState } from './tool-lists.ts'

interface AddRuleProps {
  /** Label of the button: "rule". */
  readonly noun: string
  /** The tool of a rule that names none. */
  readonly tool: string
  readonly tools: readonly string[]
  readonly example: string
  readonly hint: string
  /** Names to choose from. */
  readonly names?: readonly string[]
  /** False when all tools are allowed; rules can then only deny. */
  readonly canAllow: boolean
  readonly disabled: boolean
  readonly onAdd: (entry: string, state: ToolState) => void
}

export function AddRule({ noun, disabled, ...form }: AddRuleProps) {
  return (
    <Popover
      label={`Add ${noun}`}
      side="bottom"
      trigger={
        <ChipButton icon={Plus} disabled={disabled} aria-label={`Add ${noun} for ${form.tool}`}>
          {noun}
        </ChipButton>
      }
    >
      <RuleForm {...form} />
    </Popover>
  )
}

function RuleForm(props: Omit<AddRuleProps, 'noun' | 'disabled'>) {
  const { tool, tools, example, hint, names = [], canAllow, onAdd } = props
  const [typed, setTyped] = useState('')
  const entry = ruleEntry(typed, tool, tools)
  const isWrong = entry === null && typed.trim() !== ''
  const add = (state: ToolState) => {
    if (entry === null) return
    onAdd(entry, state)
    setTyped('')
  }
  return (
    <div className="flex w-72 flex-col gap-2 p-3">
      <input
        aria-label={`Rule for ${tool}`}
        data-own-undo
        autoComplete="off"
        spellCheck={false}
        placeholder={example}
        value={typed}
        aria-invalid={isWrong || undefined}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          add(canAllow ? 'allowed' : 'denied')
        }}
        className={`${INPUT_CLASS} h-[1.875rem] font-mono text-sm!`}
      />
      {names.length > 0 && (
        <div className="flex max-h-32 flex-wrap gap-1 overflow-y-auto">
          {names.map((name) => (
            <ChipButton
              key={name}
              onClick={() =>
                setTyped((before) => (before.trim() === '' ? name : `${before.trim()}, ${name}`))
              }
            >
              {name}
            </ChipButton>
          ))}
        </div>
      )}
      <p aria-live="polite" className={isWrong ? 'text-bad text-sm' : 'text-fg-2 text-xs'}>
        {isWrong ? 'Unbalanced parentheses.' : entry === null ? hint : entry}
      </p>
      {!canAllow && <p className="text-fg-2 text-xs">All tools are allowed, so a rule can only deny.</p>}
      <div className="flex gap-2">
        {canAllow && (
          <Button disabled={entry === null} onClick={() => add('allowed')}>
            Allow
          </Button>
        )}
        <Button disabled={entry === null} onClick={() => add('denied')}>
          Deny
        </Button>
      </div>
    </div>
  )
}
