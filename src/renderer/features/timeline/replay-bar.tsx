/** Says on the stage that a past moment is shown, and leads back to now, or on from there in a branch. */
import { GitBranch, History, Pause, Play, StepBack, StepForward } from 'lucide-react'
import type { Timeline } from '../../../shared/timeline/timeline.ts'
import { branchAt, useBranch } from '../../stores/conversation-actions.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { leaveReplay, togglePlay, useReplay } from '../../stores/replay-store.ts'
import { setView } from '../../stores/session-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ReplayMoment, stepReplay } from './replay-controls.tsx'
import { useTimelineStore } from './timeline-store.ts'

export function ReplayBar() {
  const isPast = useConversation((state) => state.pastAt !== null)
  const { at, isPlaying } = useReplay()
  const timeline = useTimelineStore((state) => state.timeline)
  const seq = useBranchPoint(timeline)
  const busy = useBranch((state) => state.busy)
  if (!isPast || at === null) return null
  return (
    <div
      role="status"
      className="flex h-9 min-w-0 shrink-0 items-center gap-2 border-line border-b bg-[color-mix(in_oklab,var(--accent)_12%,var(--bg-1))] px-3 text-fg-0 text-sm"
    >
      <History size={14} aria-hidden="true" className="shrink-0" />
      <span className="truncate">You see a past moment</span>
      <ReplayMoment timeline={timeline} at={at} />
      <IconButton label="Previous stop" icon={StepBack} onClick={() => stepReplay(timeline, true)} />
      <IconButton
        label={isPlaying ? 'Pause the replay' : 'Play'}
        icon={isPlaying ? Pause : Play}
        onClick={() => togglePlay(timeline)}
      />
      <IconButton label="Next stop" icon={StepForward} onClick={() => stepReplay(timeline, false)} />
      <span className="flex-1" />
      <Button variant="quiet" onClick={() => setView('timeline')}>
        Timeline
      </Button>
      <Button
        disabled={seq === null || busy}
        title={
          seq === null
            ? 'There was no whole answer yet to go on from.'
            : 'A new conversation that goes on from the last answer before this moment'
        }
        onClick={() => seq !== null && void branchAt(seq, null)}
      >
        <GitBranch size={13} aria-hidden="true" />
        Branch from here
      </Button>
      <Button variant="primary" onClick={() => void leaveReplay()}>
        Back to now
      </Button>
    </div>
  )
}

/** The number of the last message of the user whose whole answer was there; null: there is none. */
function useBranchPoint(timeline: Timeline): number | null {
  return useConversation(({ record, agents }) => {
    const main = agents.get(record?.mainAgentId ?? '')
    const answered = main?.received.findLast(
      ({ from, replies }) => from === 'user' && replies.some(({ isLast }) => isLast),
    )
    if (main === undefined || answered === undefined) return null
    const arrow = timeline.arrows.find(
      ({ kind, from, to, toAt }) =>
        kind === 'message' && from === null && to === main.id && toAt === answered.at,
    )
    return arrow?.toSeq ?? null
  })
}
