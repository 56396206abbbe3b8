/** The controls of a replay: live or past, the moment, its speed and its stops. */
import { ChevronDown, Pause, Play, SkipBack, SkipForward, StepBack, StepForward } from 'lucide-react'
import type { Timeline } from '../../../shared/timeline/timeline.ts'
import {
  pauseReplay,
  replayAt,
  SPEEDS,
  type Speed,
  setSpeed,
  togglePlay,
  useReplay,
} from '../../stores/replay-store.ts'
import { setView } from '../../stores/session-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Menu, MenuChoice } from '../../ui/menu.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { timeOf } from './paint-ruler.ts'
import { type StopKind, stopFrom, stopKinds } from './replay-stops.ts'
import { toggleReplay, useLook } from './timeline-store.ts'

const STOP_NAMES: Readonly<Record<StopKind, string>> = {
  all: 'Requests, failures and messages',
  requests: 'Requests to you',
  failures: 'Failures',
  messages: 'Messages',
}

/** Goes to the next stop, or to the one before. At the last one it goes to the end, at the first to the start. */
export function stepReplay(timeline: Timeline, back: boolean): void {
  const at = useReplay.getState().at ?? timeline.to
  const stop = stopFrom(timeline, at, { kind: useLook.getState().stops, back })
  pauseReplay()
  replayAt(stop ?? (back ? timeline.from : timeline.to), timeline)
}

/** Whether the window shows the present, or a past moment. */
export function LiveOrReplay() {
  const isPast = useReplay((state) => state.at !== null)
  return (
    <Segmented
      label="What the window shows"
      value={isPast ? 'replay' : 'live'}
      options={[
        { value: 'live', label: 'Live' },
        { value: 'replay', label: 'Replay' },
      ]}
      onChange={() => void toggleReplay()}
    />
  )
}

/** Live or replay, and what moves the replay. */
export function ReplayControls({
  timeline,
  isWide,
}: {
  readonly timeline: Timeline
  readonly isWide: boolean
}) {
  const { at, isPlaying, speed } = useReplay()
  const stops = useLook((state) => state.stops)
  const go = (to: number) => {
    pauseReplay()
    replayAt(to, timeline)
  }
  return (
    <>
      <LiveOrReplay />
      {at !== null && (
        <>
          <span className="flex gap-px">
            <IconButton label="To the start" icon={SkipBack} onClick={() => go(timeline.from)} />
            <IconButton
              label="Previous stop"
              icon={StepBack}
              keys="P"
              onClick={() => stepReplay(timeline, true)}
            />
            <IconButton
              label={isPlaying ? 'Pause the replay' : 'Play'}
              icon={isPlaying ? Pause : Play}
              keys="Space"
              pressed={isPlaying}
              onClick={() => togglePlay(timeline)}
            />
            <IconButton
              label="Next stop"
              icon={StepForward}
              keys="N"
              onClick={() => stepReplay(timeline, false)}
            />
            <IconButton label="To the end" icon={SkipForward} onClick={() => go(timeline.to)} />
            <Menu trigger={<IconButton label={`Stops: ${STOP_NAMES[stops]}`} icon={ChevronDown} />}>
              <MenuChoice
                value={stops}
                options={stopKinds.map((kind) => ({ value: kind, label: STOP_NAMES[kind] }))}
                onChange={(next) => useLook.setState({ stops: next })}
              />
            </Menu>
          </span>
          <Segmented
            label="Speed"
            value={String(speed)}
            options={SPEEDS.map((one) => ({ value: String(one), label: `${one}×` }))}
            onChange={(value) => setSpeed(Number(value) as Speed)}
          />
          <ReplayMoment timeline={timeline} at={at} />
          <span className="flex-1" />
          {isWide && <span className="truncate text-fg-2 text-sm">The stage shows this moment too</span>}
          <Button onClick={() => setView('stage')}>Show the stage</Button>
        </>
      )}
    </>
  )
}

/** "2:41.0 / 4:38.2" */
export function ReplayMoment({ timeline, at }: { readonly timeline: Timeline; readonly at: number }) {
  return (
    <span className="whitespace-nowrap font-medium font-mono text-fg-0 text-sm tabular-nums">
      {timeOf(at - timeline.from, 100)}
      <span className="text-fg-2"> / {timeOf(timeline.to - timeline.from, 100)}</span>
    </span>
  )
}
