/** Installs a fake main process in place of the preload's, before the window starts. */
import { definitions, files } from './scenes/agents.ts'
import { scenes } from './scenes.ts'
import { World } from './world.ts'

const options = new URLSearchParams(location.search)
const name = options.get('harness') ?? 'stage'
const scene = scenes[name]

localStorage.clear()
const world = new World()
world.definitions = definitions
world.files = files
const theme = options.get('theme')
if (theme === 'dark' || theme === 'light') world.settings = { ...world.settings, theme }
const layout = options.get('layout')
if (layout === 'focus' || layout === 'columns' || layout === 'grid')
  world.settings = { ...world.settings, stageLayout: layout }
if (scene === undefined)
  document.body.textContent = `There is no scene “${name}”. There are: ${Object.keys(scenes).join(', ')}.`
else scene(world, options)

Object.defineProperty(window, 'troupe', { value: world.bridge })
/** For scripts that inspect the page from outside. */
Object.defineProperty(window, 'harness', { value: world })
