import { afterEach, beforeEach, expect, test } from 'vitest'
import { defaultSettings } from '../../shared/settings/settings.ts'
import { type FakeBridge, installFakeBridge } from '../testing/fake-bridge.ts'
import { onNotice } from './overlay-store.ts'
import { useSession } from './session-store.ts'
import { setZoom, zoomStep } from './zoom.ts'

let bridge: FakeBridge
let refuse: boolean
let said: string[]
let stop: () => void

beforeEach(() => {
  refuse = false
  said = []
  stop = onNotice(({ text }) => said.push(text))
  useSession.setState({ settings: { ...defaultSettings, zoom: 100 } })
  bridge = installFakeBridge({
    'settings.change': ({ patch }) => {
      if (refuse) throw new Error('The disk is full.')
      const { settings } = useSession.getState()
      return { ...settings, zoom: patch.zoom ?? settings.zoom }
    },
  })
})
afterEach(() => {
  stop()
  useSession.setState({ settings: defaultSettings })
})
const sizes = () => bridge.inputsOf('settings.change').map(({ patch }) => patch.zoom)

test('quick presses add up before the first answer, and each size is said', async () => {
  await Promise.all([zoomStep('in'), zoomStep('in'), zoomStep('in')])
  expect(sizes()).toEqual([110, 125, 150])
  expect(useSession.getState().settings.zoom).toBe(150)
  expect(said).toEqual(['Zoom 110%', 'Zoom 125%', 'Zoom 150%'])
})

test('a size that could not be saved does not stay, and the next press builds on the one that holds', async () => {
  await zoomStep('in')
  refuse = true
  await zoomStep('in')
  expect(said.at(-1)).toContain('The disk is full.')
  refuse = false
  await zoomStep('out')
  expect(sizes()).toEqual([110, 125, 100])
})

test('a size between two steps goes to the next one on its side', async () => {
  await setZoom(130)
  await zoomStep('out')
  await setZoom(130)
  await zoomStep('in')
  expect(sizes()).toEqual([130, 125, 130, 150])
})

test('the ends are said and nothing is saved there', async () => {
  await setZoom(200)
  await zoomStep('in')
  await setZoom(80)
  await zoomStep('out')
  expect(sizes()).toEqual([200, 80])
  expect(said.filter((text) => text === 'Zoom 200%, the largest')).toHaveLength(2)
  expect(said.at(-1)).toBe('Zoom 80%, the smallest')
})
