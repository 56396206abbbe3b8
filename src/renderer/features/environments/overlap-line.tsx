/** Lines that two agents change both: always one line, with what the user can do about it. */
import { Check, ChevronDown } from 'lucide-react'
import { useState } from 'react'
import type { EnvironmentsSnapshot, WorktreeEnvironment } from '../../../shared/environments/environments.ts'
import { type Overlap, overlapText } from '../../../shared/environments/overlaps.ts'
import { command } from '../../bridge.ts'
import { showFailure, showNotice } from '../../stores/overlay-store.ts'
import { Button } from '../../ui/button.tsx'
import { Dot } from '../../ui/dot.tsx'
import { FeedbackForm } from '../../ui/feedback-form.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { formatClock } from '../../ui/text/format.ts'

interface OverlapLinesProps extends Pick<EnvironmentsSnapshot, 'overlaps' | 'worktrees'> {
  readonly onCompare: (overlap: Overlap) => void
}

export function OverlapLines({ overlaps, worktrees, onCompare }: OverlapLinesProps) {
  const shown = overlaps.flatMap((overlap) => {
    const [one, other] = overlap.ids.map((id) => worktrees.find((worktree) => worktree.id === id))
    return one === undefined || other === undefined ? [] : [{ overlap, one, other }]
  })
  if (shown.length === 0)
    return (
      <p className="flex h-[45px] shrink-0 items-center gap-2.5 border-line border-b bg-bg-1 px-4 text-fg-2 text-sm">
        <Check size={14} strokeWidth={1.75} aria-hidden="true" />
        No overlapping edits.
      </p>
    )
  return (
    <ul aria-label="Overlapping edits" className="max-h-[30%] min-h-[45px] shrink-0 overflow-y-auto">
      {shown.map((each) => (
        <OverlapLine
          key={`${each.overlap.path} ${each.overlap.ids.join()}`}
          {...each}
          onCompare={onCompare}
        />
      ))}
    </ul>
  )
}

interface OverlapLineProps extends Pick<OverlapLinesProps, 'onCompare'> {
  readonly overlap: Overlap
  readonly one: WorktreeEnvironment
  readonly other: WorktreeEnvironment
}

function OverlapLine({ overlap, one, other, onCompare }: OverlapLineProps) {
  const [isWriting, setWriting] = useState(false)
  const place = overlapText(overlap)
  return (
    <li className="border-b border-b-needs-you/40 bg-needs-you/8 px-4 text-sm">
      <div className="grid min-h-[44px] grid-cols-[16px_minmax(0,1fr)_auto] items-center gap-2.5">
        <Dot status="needs-you" className="justify-self-center" />
        <p className="min-w-0 text-fg-1">
          <b className="font-semibold text-fg-0">
            Both change <code className="font-mono text-xs">{place}</code>:
          </b>{' '}
          “{one.task}” and “{other.task}”, since {formatClock(overlap.since)}. Both were told.
        </p>
        <span className="flex gap-1.5">
          <Button onClick={() => onCompare(overlap)}>Compare</Button>
          <Button onClick={() => setWriting(!isWriting)} aria-expanded={isWriting}>
            Message both
          </Button>
          <Menu
            align="end"
            trigger={
              <Button>
                Let one first <ChevronDown size={12} strokeWidth={1.75} aria-hidden="true" />
              </Button>
            }
          >
            <MenuItem onSelect={() => void pause(other, one)}>{`Pause “${other.task}”`}</MenuItem>
            <MenuItem onSelect={() => void pause(one, other)}>{`Pause “${one.task}”`}</MenuItem>
          </Menu>
        </span>
      </div>
      {isWriting && (
        <div className="pb-2">
          <FeedbackForm
            action="Send to both"
            label="Message to both agents"
            placeholder={`Who changes ${place}, and how?`}
            sending={false}
            onSend={(text) => {
              setWriting(false)
              if (text !== null) void messageBoth([one, other], text)
            }}
            onBack={() => setWriting(false)}
          />
        </div>
      )}
    </li>
  )
}

/** The first goes on when its user continues it. */
async function pause(paused: WorktreeEnvironment, first: WorktreeEnvironment): Promise<void> {
  const { agentId, conversationId, task } = paused
  const answer = await command('agent.pause', { agentId, conversationId })
  if (answer.ok)
    showNotice({ level: 'info', text: `“${task}” is paused. Continue it when “${first.task}” has ended.` })
  else showFailure(answer.failure)
}

async function messageBoth(receivers: readonly WorktreeEnvironment[], content: string): Promise<void> {
  for (const { agentId, conversationId } of receivers) {
    const answer = await command('conversation.send', { conversationId, agentId, content })
    if (!answer.ok) showFailure(answer.failure)
  }
}
