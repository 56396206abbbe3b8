/** Which tools the agent may use: a chip for each, in groups. */
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../../ui/button.tsx'
import { ChipButton } from '../../../../ui/chip.tsx'
import { Menu, MenuHeading, MenuItem } from '../../../../ui/menu.tsx'
import { Switch } from '../../../../ui/switch.tsx'
import { Tooltip } from '../../../../ui/tooltip.tsx'
import { toolHelp } from '../../source/name-help.ts'
import { Field } from '../field.tsx'
import { setFields, useForm } from '../form-context.ts'
import { useFocusKept } from '../use-focus-kept.ts'
import { AddRule } from './add-rule.tsx'
import { groupTools, type ToolChoice, unnamedMcpTools } from './tool-groups.ts'
import {
  countTools,
  isAllTools,
  listOfAll,
  nextState,
  stateOf,
  type ToolLists,
  type ToolState,
  withState,
} from './tool-lists.ts'

const WORDS: Readonly<Record<ToolState, string>> = {
  unlisted: 'not listed',
  allowed: 'allowed',
  denied: 'denied',
}

export function ToolsField() {
  const form = useForm()
  const { definition, document, edit, problemsOf, readOnly, surroundings } = form
  const { library, entry: self } = surroundings
  const [said, setSaid] = useState('')
  const { group, keepFocus } = useFocusKept()
  // A list that can't be read allows nothing for now.
  const isWrong = problemsOf('tools').some(({ code }) => code === 'bad-tools')
  const lists: ToolLists = { tools: isWrong ? [] : definition.tools, denied: definition.disallowedTools }
  const isAll = isAllTools(lists)
  const count = countTools(lists, library.tools)

  const put = (entry: string, state: ToolState) => {
    keepFocus()
    const next = withState(lists, entry, state)
    edit(
      setFields(document.text, [
        ...(next.tools === lists.tools ? [] : [['tools', next.tools] as const]),
        ['disallowedTools', next.denied.length === 0 ? null : next.denied],
      ]),
    )
    setSaid(`${entry}: ${WORDS[stateOf(next, entry)]}`)
  }
  const setAll = (all: boolean) =>
    form.set('tools', all ? null : listOfAll({ ...definition, source: self.source }, library.tools))

  const types = library.entries
    .filter(({ id, state }) => id !== self.id && state === 'offered')
    .map(({ name }) => name)
  const mcpTools = unnamedMcpTools(lists, library.tools)
  return (
    <Field
      label="Tools"
      keys={['tools', 'disallowedTools']}
      beside={
        <span className="flex min-w-0 items-center gap-1.5 self-center text-fg-2 text-xs">
          <Switch label="All tools" checked={isAll} disabled={readOnly} onChange={setAll} />
          <span className="truncate">{isAll && count.denied > 0 ? 'all but denied' : 'all tools'}</span>
        </span>
      }
      note={`${count.allowed} of ${count.all} allowed · ${count.denied} denied`}
    >
      {({ labelId, describedBy }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a look and a legend of its own
        <div
          ref={group}
          role="group"
          tabIndex={-1}
          aria-labelledby={labelId}
          aria-describedby={describedBy}
          className="flex flex-col gap-[7px] outline-none"
        >
          {groupTools(lists, library).map(({ label, choices }) => (
            <div key={label} className="grid grid-cols-[62px_minmax(0,1fr)] items-start gap-1.5">
              <span className="truncate text-fg-2 text-xs leading-[1.375rem]">{label}</span>
              <div className="flex min-w-0 flex-wrap gap-1.5">
                {choices.map((choice) => (
                  <ToolChip
                    key={choice.entry}
                    choice={choice}
                    state={stateOf(lists, choice.entry)}
                    help={toolHelp(choice.entry, surroundings)}
                    disabled={readOnly}
                    onClick={() => put(choice.entry, nextState(lists, choice.entry))}
                  />
                ))}
                {label === 'Run' && (
                  <AddRule
                    word="rule"
                    tool="Bash"
                    tools={library.tools}
                    example="git diff:*"
                    hint="A command, with :* for whatever follows. Or a rule of another tool: Read(src/**)."
                    canAllow={!isAll}
                    disabled={readOnly}
                    onAdd={put}
                  />
                )}
                {label === 'Agents' && library.tools.includes('Agent') && (
                  <AddRule
                    word="type"
                    tool="Agent"
                    tools={library.tools}
                    example="Explore, Plan"
                    hint="The types of agents that it may start."
                    names={types}
                    canAllow={!isAll}
                    disabled={readOnly}
                    onAdd={put}
                  />
                )}
                {label === 'MCP' && mcpTools.length > 0 && (
                  <OneMcpTool
                    tools={mcpTools}
                    state={isAll ? 'denied' : 'allowed'}
                    disabled={readOnly}
                    onAdd={put}
                  />
                )}
              </div>
            </div>
          ))}
          <ReadOnlySuggestion />
          <span role="status" className="sr-only">
            {said}
          </span>
        </div>
      )}
    </Field>
  )
}

interface ToolChipProps {
  readonly choice: ToolChoice
  readonly state: ToolState
  readonly help: string | null
  readonly disabled: boolean
  readonly onClick: () => void
}

function ToolChip({ choice, state, help, disabled, onClick }: ToolChipProps) {
  const { label, isUnknown } = choice
  const mark = state === 'denied' ? '✕ ' : isUnknown ? '? ' : state === 'allowed' ? '✓ ' : ''
  const tone = state === 'denied' ? 'bad' : isUnknown ? 'needs-you' : state === 'allowed' ? 'ok' : 'plain'
  return (
    <Tooltip text={[help ?? label, `Now: ${WORDS[state]}.`].join(' ')}>
      <ChipButton
        tone={tone}
        aria-label={`${label}: ${WORDS[state]}`}
        aria-disabled={disabled || undefined}
        onClick={() => !disabled && onClick()}
        className="max-w-full"
      >
        <span className="truncate">
          <span aria-hidden="true">{mark}</span>
          {label}
        </span>
      </ChipButton>
    </Tooltip>
  )
}

interface OneMcpToolProps {
  readonly tools: readonly string[]
  readonly state: ToolState
  readonly disabled: boolean
  readonly onAdd: (entry: string, state: ToolState) => void
}

function OneMcpTool({ tools, state, disabled, onAdd }: OneMcpToolProps) {
  return (
    <Menu
      trigger={
        <ChipButton icon={Plus} disabled={disabled} aria-label="One tool of a server">
          tool
        </ChipButton>
      }
    >
      <MenuHeading>{state === 'allowed' ? 'Allow' : 'Deny'} one tool of a server</MenuHeading>
      {tools.map((tool) => (
        <MenuItem key={tool} onSelect={() => onAdd(tool, state)}>
          {tool.replace(/^mcp__/i, '').replace('__', ': ')}
        </MenuItem>
      ))}
    </Menu>
  )
}

/** An agent that may not write at all can as well be held to it, its commands included. */
function ReadOnlySuggestion() {
  const { definition, readOnly, set, surroundings } = useForm()
  const writing = ['Write', 'Edit', 'NotebookEdit'].filter((tool) =>
    surroundings.library.tools.includes(tool),
  )
  const lists: ToolLists = { tools: definition.tools, denied: definition.disallowedTools }
  const isDenied = writing.length > 0 && writing.every((tool) => stateOf(lists, tool) === 'denied')
  if (readOnly || definition.readOnly || !isDenied) return null
  return (
    <p className="flex flex-wrap items-center gap-2 text-fg-2 text-sm">
      Every tool that writes is denied. Should commands be held to reading, too?
      <Button className="h-5 px-2 text-xs" onClick={() => set('readOnly', true)}>
        Make it read only
      </Button>
    </p>
  )
}
