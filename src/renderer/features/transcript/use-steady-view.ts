/**
 * A transcript without its streaming text, which changes at every frame and renders separately. New rows go through the
 * frame budget, so that panels whose messages finish at the same time share frames. Rows that the user requested (on
 * opening, older pages) render immediately.
 */
import { useEffect, useState } from 'react'
import { type TranscriptView, transcriptOf, useTranscriptPart } from '../../stores/transcript-store.ts'
import { frameBudget } from './stream/frame-budget.ts'

export interface SteadyView extends Omit<TranscriptView, 'live'> {
  /** The streaming blocks as `index kind`, separated by commas; empty if nothing streams. */
  readonly kinds: string
}

export function useSteadyView(agentId: string): SteadyView {
  // Keeps the transcript open while the component is mounted.
  useTranscriptPart(agentId, nothing)
  const [held, setHeld] = useState(() => ({ agentId, view: steady(transcriptOf(agentId).getView()) }))
  useEffect(() => {
    const { subscribe, getView } = transcriptOf(agentId)
    let takeBack: (() => void) | null = null
    const update = () => {
      takeBack?.()
      takeBack = null
      setHeld((before) => {
        const view = steady(getView())
        return before.agentId === agentId && same(before.view, view) ? before : { agentId, view }
      })
    }
    let last = steady(getView())
    update()
    const unsubscribe = subscribe(() => {
      const now = steady(getView())
      if (same(last, now)) return
      const waits =
        now.rows === last.rows && now.phase === last.phase && now.loadingOlder === last.loadingOlder
      last = now
      if (waits) takeBack ??= frameBudget.request(update, 'heavy')
      else update()
    })
    return () => {
      unsubscribe()
      takeBack?.()
    }
  }, [agentId])
  return held.agentId === agentId ? held.view : steady(transcriptOf(agentId).getView())
}

const nothing = () => null

function steady({ live, ...rest }: TranscriptView): SteadyView {
  return { ...rest, kinds: live.map(({ index, kind }) => `${index} ${kind}`).join() }
}

function same(a: SteadyView, b: SteadyView): boolean {
  return (Object.keys(a) as (keyof SteadyView)[]).every((key) => a[key] === b[key])
}
