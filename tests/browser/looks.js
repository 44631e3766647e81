// How a page is examined: evaluated in it, after axe-core.
window.looks = {
    colourRules: ["color-contrast", "link-in-text-block"],

    // Check the page as it is now, with one run of axe-core at most. `known` has the hashes of the text styles and of
    // the structures that are checked already. Three texts of each unknown style are checked, because another element
    // may cover the first. For a known structure, only colours are checked. At a further width of a page, the structure
    // is that of the elements that appear, disappear, or begin or stop to scroll.
    async examine({isDark, isFirst, known}) {
        this.still(isDark)
        const elements = [...document.body.querySelectorAll("*")]
        const styleOf = this.styles(elements)
        const knownStyles = new Set(known.styles)
        const unknown = Map.groupBy([...styleOf.keys()].filter((one) => !knownStyles.has(styleOf.get(one))),
            (one) => styleOf.get(one))
        const changed = isFirst ? this.changed() : []
        const structure = this.hash(this.skeleton(changed))
        const isNew = changed.length > 0 && !known.structures.includes(structure)
        const found = await this.run([...unknown.values()].flatMap((alike) => alike.slice(0, 3)), isNew)
        return {
            problems: this.lines(found.violations), structure, styles: [...unknown.keys()],
            unsure: [...new Set(found.incomplete.filter((rule) => this.colourRules.includes(rule.id))
                .flatMap((rule) => rule.nodes).map((node) => styleOf.get(node.element)))],
        }
    },

    // Check the colours of these texts and, if the structure is new, names, labels, nesting and keyboard access.
    async run(texts, isNew) {
        if (texts.length === 0 && !isNew) return {violations: [], incomplete: []}
        texts.forEach((one) => one.setAttribute("data-fresh", ""))
        axe.configure({rules: [
            {id: "color-contrast", selector: "[data-fresh]"},
            {id: "link-in-text-block", selector: "a[href][data-fresh]"},
        ]})
        const found = await axe.run(document, {
            iframes: false, elementRef: true, resultTypes: ["violations", "incomplete"],
            ...(isNew ? {} : {runOnly: {type: "rule", values: this.colourRules}}),
        })
        texts.forEach((one) => one.removeAttribute("data-fresh"))
        return found
    },

    lines: (rules) => rules.flatMap((rule) => rule.nodes.map((node) => `${rule.id} ${node.html.slice(0, 200)}`)),

    hasText: (one) => one.matches("input, select, textarea") ||
        [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()),

    // Return each visible text with the hash of its style. Texts of one style have the same contrast.
    styles(elements) {
        const layers = new Map(), hashes = new Map()
        return new Map(elements.filter((one) => this.hasText(one) && one.checkVisibility()).map((one) => {
            const style = this.style(one, layers)
            if (!hashes.has(style)) hashes.set(style, this.hash(style))
            return [one, hashes.get(style)]
        }))
    },

    // axe-core leaves out single letters and what is switched off.
    style(one, layers) {
        const style = getComputedStyle(one), around = getComputedStyle(one.parentElement)
        const link = one.matches("a") ? [around.color, around.fontWeight, style.textDecorationLine] : []
        return [
            one.tagName, one.closest(":disabled, [aria-disabled]") !== null, one.control?.disabled,
            one.textContent.trim().length > 1, style.color, style.fontSize, style.fontWeight, style.fontFamily, ...link,
            this.layersOf(one, layers),
        ].join(" ")
    },

    // What is drawn behind an element, and what may lie elsewhere than its place in the page says.
    layersOf(one, layers) {
        if (one === null) return getComputedStyle(document.documentElement).colorScheme
        if (layers.has(one)) return layers.get(one)
        const style = getComputedStyle(one), plain = "rgba(0, 0, 0, 0) none 1 none none"
        const own = [
            style.backgroundColor, style.backgroundImage, style.opacity, style.filter, style.clipPath,
        ].join(" ")
        const behind = this.layersOf(one.parentElement, layers)
        const lies = /absolute|fixed|sticky/.test(style.position) ? one.className : ""
        const whole = own === plain && !lies ? behind : [own, lies, behind].join(" ")
        layers.set(one, whole)
        return whole
    },

    // Return the elements whose state is not that of the last width; at the first width, all elements.
    changed() {
        const before = this.states
        const elements = [...document.querySelectorAll("body *:not(svg *, option)")]
        this.states = new Map(elements.map((one) => [one, this.state(one)]))
        return elements.filter((one) => this.states.get(one) !== before?.get(one))
    },

    state(one) {
        const {overflowX, overflowY} = getComputedStyle(one)
        const scrolls = (overflowX !== "visible" && one.scrollWidth > one.clientWidth) ||
            (overflowY !== "visible" && one.scrollHeight > one.clientHeight)
        return `${one.checkVisibility()} ${scrolls}`
    },

    // Elements with their states, classes and the names of their attributes, and whether they hold a text.
    skeleton: (elements) => elements.map((one) => [
        one.tagName, looks.states.get(one), looks.hasText(one),
        ...[...one.attributes].map(({name, value}) => name === "class" ? value : name),
    ].join(" ")).join("\n"),

    // Return a 64-bit hash: two 32-bit hashes in the manner of FNV-1a, with different seeds.
    hash(text) {
        let one = 0x811c9dc5, other = 0x9747b28c
        for (let at = 0; at < text.length; at += 1) {
            const unit = text.charCodeAt(at)
            one = Math.imul(one ^ unit, 0x01000193)
            other = Math.imul(other ^ unit, 0x5bd1e995)
        }
        return (one >>> 0).toString(36) + (other >>> 0).toString(36).padStart(7, "0")
    },

    measures(width) {
        this.endAnimations()
        const elements = [...document.body.querySelectorAll("*")]
        const across = document.documentElement.scrollWidth
        return [...(across > width ? [`is ${across} wide`] : []), ...this.odd(width, elements)]
    },

    // Fields that look like none, cells that cut what they hold, and whatever the page or a list has to be pushed aside
    // for. What scrolls in itself may be wider, and what only readers by ear get is not drawn; the theme frames its
    // search box.
    odd: (width, elements) => elements.filter((one) => {
        if (!one.checkVisibility()) return false
        const style = getComputedStyle(one)
        const untyped = "[type=checkbox], [type=radio], [type=hidden], [type=file], [x-ref]"
        const typed = `:is(textarea, select, input:not(${untyped}))`
        if (one.matches("#main " + typed) && style.borderTopWidth === "0px") return true
        if (one.id === "result_list") return one.scrollWidth > one.parentElement.clientWidth
        const isCut = one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1
        if (one.matches("#result_list :is(td, th)") && style.overflowX === "hidden" && isCut) return true
        if (looks.isUnderItsLabel(one) || looks.isBesideItsLine(one) || looks.isBroken(one)) return true
        for (let around = one; around !== document.documentElement; around = around.parentElement) {
            const {clipPath, overflowX} = getComputedStyle(around)
            if (clipPath !== "none" || overflowX === "auto") return false
        }
        return one.getBoundingClientRect().right > width + 1 && !one.closest("#menu")
    }).map((one) => "odd " + one.outerHTML.slice(0, 160)),

    // A cell of a stacked table whose label, drawn by its style, covers its text.
    isUnderItsLabel(one) {
        const label = one.matches("td[data-label]") ? getComputedStyle(one, "::before") : null
        return label?.position === "absolute" && parseFloat(getComputedStyle(one).paddingLeft) < parseFloat(label.width)
    },

    // A tick that is not in the middle of the first line of the text on its right.
    isBesideItsLine(one) {
        const text = one.matches("[type=checkbox], [type=radio]") ? one.nextElementSibling : null
        if (!text?.textContent.trim() || !one.checkVisibility({opacityProperty: true})) return false
        const range = document.createRange(), tick = one.getBoundingClientRect()
        range.selectNodeContents(text)
        const line = range.getClientRects()[0]
        return line?.left >= tick.right && Math.abs(line.top + line.height / 2 - tick.top - tick.height / 2) > 2.5
    },

    // A time of one word, such as 5:18:51pm, on two lines.
    isBroken(one) {
        const word = one.matches("time") ? one.firstChild : null
        if (word?.nodeType !== Node.TEXT_NODE || /\s/.test(word.data.trim())) return false
        const range = document.createRange()
        range.selectNodeContents(word)
        return range.getClientRects().length > 1
    },

    // Both the media query and the class of the theme, whose animations are ended at once.
    still(isDark) {
        document.documentElement.classList.toggle("dark", isDark)
        this.endAnimations()
    },

    endAnimations() {
        for (const one of document.getAnimations())
            try { one.finish() } catch { one.cancel() }
    },
}
