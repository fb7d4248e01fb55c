// What the tests do by JavaScript. One file: the page of tests loads one module for it, as its server is short of threads for many.

// Whatever is for print shows on the screen.
export const print_styles = (root) => {
    const look = (rules) => [...rules].forEach((rule) => {
        if (rule.media?.mediaText === 'print') rule.media.mediaText = 'all';
        if (rule.cssRules) look(rule.cssRules);
    });
    root.querySelectorAll('style').forEach((style) => look(style.sheet.cssRules));
};

export const goes_behind = ({ document, navigator }) => {
    document.hasFocus = () => false;
    Object.defineProperty(navigator, 'userActivation', { value: { hasBeenActive: true }, configurable: true });
};
export const is_as_it_is = ({ document, navigator }) => {
    delete document.hasFocus;
    delete navigator.userActivation;
};

export const text_rect = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect();
};

const { observe, disconnect } = ResizeObserver.prototype;
const watching = new Set();
export const count_observers = () => {
    ResizeObserver.prototype.observe = function (element) { watching.add(this); return observe.call(this, element); };
    ResizeObserver.prototype.disconnect = function () { watching.delete(this); return disconnect.call(this); };
};
export const observers = () => watching.size;
export const give_observers_back = () => Object.assign(ResizeObserver.prototype, { observe, disconnect });

const fetch = window.fetch;
const posted = [];
export const answer_with = (...statuses) => {
    window.fetch = async (request) => {
        posted.push(await request.text());
        return new Response('', { status: statuses.shift() });
    };
};
export const take_posted = () => posted.splice(0);
export const give_back = () => { window.fetch = fetch; };

const pen = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });

// The contrast of an element's text, by WCAG 2's relative luminance.
export const contrast = (element) => {
    const colour = () => [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
    const paint = (style, alpha) => { pen.globalAlpha = alpha; pen.fillStyle = style; pen.fillRect(0, 0, 1, 1); };
    const around = [];
    for (let at = element; at; at = at.parentElement) around.unshift(getComputedStyle(at));
    paint('white', 1);
    let alpha = 1;
    for (const style of around) { alpha *= style.opacity; paint(style.backgroundColor, alpha); }
    const ground = colour();
    paint(around.at(-1).color, alpha);
    const light = (colour) => colour.map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
    const [one, other] = [light(colour()), light(ground)];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
};

export const motions = (element) => element.getAnimations().length;
export const at_rest = (root) => Promise.all(root.getAnimations({ subtree: true })
    .filter((motion) => motion.effect.getComputedTiming().endTime < 1e6).map((motion) => motion.finished.catch(() => {})));

export const load = async (family, bytes) => {
    document.fonts.add(await new FontFace(family, bytes, { weight: '1 1000' }).load());
};

// The page's clock, which a waiting test turns. Timers are due by it, and events have its time.
const { setTimeout: set, clearTimeout: clear } = window;
const clock = performance.now.bind(performance);
const date = Date.now;
let ahead = 0;
let stopped;
performance.now = () => clock() + ahead;
Date.now = () => stopped ?? date() + ahead;
const { get: time_of } = Object.getOwnPropertyDescriptor(Event.prototype, 'timeStamp');
Object.defineProperty(Event.prototype, 'timeStamp', { get() { return time_of.call(this) + ahead; } });
export const set_date = (time) => { stopped = time; };

const timers = new Map();
let last = 2 ** 30; // No id of the browser's own.
window.setTimeout = (act, wait = 0, ...given) => {
    if (wait <= 0) return set(act, wait, ...given);
    last += 1;
    timers.set(last, { wait, due: performance.now() + wait, ring: () => act(...given) });
    return last;
};
window.clearTimeout = (id) => { timers.delete(id) || clear(id); };
// Time passes, and the timers that are due ring. Only here, or on a slow machine one could undo what another did before a test has seen it.
export const turn = (by) => {
    ahead += by;
    const due = [...timers].filter(([, timer]) => timer.due <= performance.now());
    for (const [id, { ring }] of due.sort(([, one], [, other]) => one.due - other.due)) if (timers.delete(id)) ring();
};
export const timers_beyond = (wait) => [...timers.values()].filter((timer) => timer.wait > wait).length;
