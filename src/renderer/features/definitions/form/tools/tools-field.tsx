/** The agent's tools as chips, in groups. */
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { toolFacts } from '../../../../../shared/tools/tool-facts.ts'
import { startsAgents } from '../../../../../shared/tools/tool-names.ts'
import { Button } from '../../../../ui/button.tsx'
import { ChipButton } from '../../../../ui/chip.tsx'
import { Menu, MenuHeading, MenuItem } from '../../../../ui/menu.tsx'
import { Popover, Tooltip } from '../../../../ui/popover.tsx'
import { Switch } from '../../../../ui/switch.tsx'
import { INPUT_CLASS } from '../../../../ui/text-field.tsx'
import { toolHelp } from '../../source/hover-help.ts'
import { toolsOfAgent } from '../../surroundings.ts'
import { ChipName, type ChipProblem, ChipSuggestion, Field, problemOfName, useKeptFocus } from '../field.tsx'
import { setFields, useForm } from '../form-context.ts'
import { type ChipEffect, chipEffect } from './chip-effect.ts'
import {
  groupTools,
  isAllTools,
  listOfAll,
  nextState,
  ruleEntry,
  type ToolChoice,
  type ToolLists,
  type ToolState,
  toolStateOf,
  unnamedMcpTools,
  withState,
} from './tool-groups.ts'

const STATE_LABELS: Readonly<Record<ToolState, string>> = {
  unlisted: 'not listed',
  allowed: 'allowed',
  denied: 'denied',
}

export function ToolsField() {
  const form = useForm()
  const { definition, document, edit, isOffered, problemsOf, readOnly, surroundings } = form
  const { catalog, entry: self } = surroundings
  const [announcement, setAnnouncement] = useState('')
  const { group, keepFocus } = useKeptFocus()
  // An invalid list allows nothing.
  const problems = [...problemsOf('tools'), ...problemsOf('disallowedTools')]
  const isWrong = problems.some(({ code }) => code === 'bad-tools')
  const lists: ToolLists = { tools: isWrong ? [] : definition.tools, denied: definition.disallowedTools }
  const isAll = isAllTools(lists)
  const resolution = toolsOfAgent({ definition, offered: isOffered }, surroundings)
  const denied = resolution.blocked.filter(({ step }) => step === 'denied').length

  const put = (entry: string, state: ToolState) => {
    keepFocus()
    const next = withState(lists, entry, state)
    edit(
      setFields(document.text, [
        ...(next.tools === lists.tools ? [] : [['tools', next.tools] as const]),
        ['disallowedTools', next.denied.length === 0 ? null : next.denied],
      ]),
    )
    setAnnouncement(`${entry}: ${STATE_LABELS[toolStateOf(next, entry)]}`)
  }
  const setAll = (all: boolean) =>
    form.set('tools', all ? null : listOfAll({ ...definition, source: self.source }, catalog.tools))

  const types = catalog.entries
    .filter(({ id, state }) => id !== self.id && state === 'offered')
    .map(({ name }) => name)
  const mcpTools = unnamedMcpTools(lists, catalog.tools)
  return (
    <Field
      label="Tools"
      keys={['tools', 'disallowedTools']}
      beside={
        <span className="flex min-w-0 items-center gap-1.5 self-center text-fg-2 text-xs">
          <Switch label="All tools" checked={isAll} disabled={readOnly} onChange={setAll} />
          <span className="truncate">{isAll && denied > 0 ? 'all but denied' : 'all tools'}</span>
        </span>
      }
      note={`${resolution.allowed.length} of ${catalog.tools.length} effective · ${denied} denied`}
    >
      {({ labelId, describedBy }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset has its own style and legend
        <div
          ref={group}
          role="group"
          tabIndex={-1}
          aria-labelledby={labelId}
          aria-describedby={describedBy}
          className="flex flex-col gap-[7px] outline-none"
        >
          {groupTools(lists, catalog).map(({ label, choices }) => (
            <div key={label} className="grid grid-cols-[62px_minmax(0,1fr)] items-start gap-1.5">
              <span className="truncate text-fg-2 text-xs leading-[1.375rem]">{label}</span>
              <div className="flex min-w-0 flex-wrap gap-1.5">
                {choices.map((choice) => {
                  const { entry } = choice
                  const state = toolStateOf(lists, entry)
                  return (
                    <ToolChip
                      key={entry}
                      choice={choice}
                      problem={problemOfName(entry, problems, edit)}
                      state={state}
                      effect={chipEffect(entry, state, { resolution, tools: catalog.tools })}
                      help={toolHelp(entry, surroundings)}
                      disabled={readOnly}
                      onClick={() => put(entry, nextState(lists, entry))}
                      onReplace={keepFocus}
                    />
                  )
                })}
                {label === 'Run' && (
                  <AddRule
                    noun="rule"
                    tool="Bash"
                    tools={catalog.tools}
                    example="git diff:*"
                    hint="A command, with :* for any arguments. Or a rule for another tool: Read(src/**)."
                    canAllow={!isAll}
                    disabled={readOnly}
                    onAdd={put}
                  />
                )}
                {label === 'Agents' && catalog.tools.some(startsAgents) && (
                  <AddRule
                    noun="type"
                    tool="Agent"
                    tools={catalog.tools}
                    example="Explore, Plan"
                    hint="Agent types that it may start."
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
            {announcement}
          </span>
        </div>
      )}
    </Field>
  )
}

interface ToolChipProps {
  readonly choice: ToolChoice
  readonly problem: ChipProblem | null
  readonly state: ToolState
  readonly effect: ChipEffect
  readonly help: string | null
  readonly disabled: boolean
  readonly onClick: () => void
  readonly onReplace: () => void
}

/** A tick means that the agent has the tool; a dash, that its definition allows it and something else takes it. */
function ToolChip({ choice, problem, state, effect, help, disabled, onClick, onReplace }: ToolChipProps) {
  const { entry, label, isUnknown } = choice
  const worse = problem?.tone ?? (isUnknown ? 'needs-you' : 'plain')
  const isEffective = effect.isEffective && worse === 'plain'
  const mark =
    state === 'denied'
      ? '✕ '
      : worse !== 'plain'
        ? '? '
        : isEffective
          ? '✓ '
          : state === 'allowed'
            ? '– '
            : ''
  const tone = state === 'denied' ? 'bad' : isEffective ? 'ok' : worse
  const word = state === 'unlisted' && isEffective ? 'allowed by another entry' : STATE_LABELS[state]
  const why = problem?.message ?? effect.why
  const now = `${label}: ${word}`
  return (
    <>
      <Tooltip
        text={[problem?.message ?? help ?? label, `Now: ${word}.`, problem === null ? effect.why : null]
          .filter((part) => part !== null)
          .join(' ')}
      >
        <ChipButton
          tone={tone}
          aria-label={why === null ? now : `${now}. ${why}`}
          aria-disabled={disabled || undefined}
          onClick={() => !disabled && onClick()}
          className="max-w-full"
        >
          <span className="truncate">
            <span aria-hidden="true">{mark}</span>
            <ChipName name={label} problem={problem} />
          </span>
        </ChipButton>
      </Tooltip>
      {!disabled && <ChipSuggestion name={entry} problem={problem} onReplace={onReplace} />}
    </>
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
        <ChipButton icon={Plus} disabled={disabled} aria-label="Add MCP tool">
          tool
        </ChipButton>
      }
    >
      <MenuHeading>{state === 'allowed' ? 'Allow' : 'Deny'} MCP tool</MenuHeading>
      {tools.map((tool) => (
        <MenuItem key={tool} onSelect={() => onAdd(tool, state)}>
          {tool.replace(/^mcp__/i, '').replace('__', ': ')}
        </MenuItem>
      ))}
    </Menu>
  )
}

/** Suggests read-only for an agent whose write tools are all denied, so that its commands can't write either. */
function ReadOnlySuggestion() {
  const { definition, readOnly, set, surroundings } = useForm()
  const writing = surroundings.catalog.tools.filter((tool) => toolFacts(tool)?.kind === 'edit')
  const lists: ToolLists = { tools: definition.tools, denied: definition.disallowedTools }
  const isDenied = writing.length > 0 && writing.every((tool) => toolStateOf(lists, tool) === 'denied')
  if (readOnly || definition.readOnly || !isDenied) return null
  return (
    <p className="flex flex-wrap items-center gap-2 text-fg-2 text-sm">
      All write tools are denied. Should commands be read-only too?
      <Button className="h-5 px-2 text-xs" onClick={() => set('readOnly', true)}>
        Make read-only
      </Button>
    </p>
  )
}

/** Adds a rule that allows or denies part of a tool, such as `Bash(git diff:*)`. */
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

function AddRule({ noun, disabled, ...form }: AddRuleProps) {
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
