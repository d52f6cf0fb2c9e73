//! Chinese: words, orders, what was.

use std::sync::LazyLock;

use super::{Cues, listed};
use crate::profile::kind::Kind;
use crate::text::script::is_han;

/// What words in sentences say.
pub(super) const CUES: &[Cues] = &[
    // Words that have another one in them, and say nothing.
    (
        Kind::Policy,
        0.0,
        "对应、相应、应用、反应、适应、响应、供应、效应、应答、便宜、适宜、便于、其他、吉他、例程、例行、比例、除了、\
         为了、了解",
    ),
    (
        Kind::Procedure,
        0.3,
        "先、然后、接着、随后、最后、首先、其次、依次、再将、再把、即可、步骤、按提示、方可、点击、单击、双击、勾选、\
         弹出、完成后、下一步、稍等、以便、待其、第一步、第二步、建议、直到、直至、确认后",
    ),
    (
        Kind::Theory,
        0.55,
        "所谓、是指、称为、叫做、定义、因此、因而、由此、由于、所以、从而、取决于、原理、机制、定理、引理、推论、\
         命题、证明、证毕、假设存在、可以看作、视为、看成、本质、概念、理论、意味着、说明了、解释了、之所以、正比、\
         反比、决定了、决定、换言之、也就是说、一般来说、一般而言、反之、区别、关系、现象、规律、推出、性质、收敛、\
         极限、与之相反、根据、满足、相互、权衡、有关、这就是、可见、为什么",
    ),
    (Kind::Theory, 0.25, "因为、如果、那么、任何、总是、不同、往往、使得、通过、并不、而是、可能"),
    (
        Kind::Reference,
        0.35,
        "默认、缺省、取值、可选值、必填、选填、返回值、返回、参数、单位、字符串、整数、布尔、数值、类型、范围、字段、\
         选项、重启后生效、错误码、编号、型号、功率、表示、用于指定、指定、请求地址、宏包选项、开启、禁用",
    ),
    (
        Kind::Troubleshooting,
        0.6,
        "故障、原因、损坏、磨损、报错、出错、错误、异常、失败、无法、不能启动、不转动、漏水、漏气、短路、断路、缺相、\
         排除、解决、仍然、依旧、现象、症状、处理方法、多半、通常是因为、过期、过热、堵塞、松动、污染、卡死、崩溃、\
         乱码、怎么办、占用、重启、清除缓存、提示、不起作用、丢失、导致、仍为空、为什么会",
    ),
    (Kind::Troubleshooting, 0.3, "检查、更换、如果仍、可能、再试、没有、不足、往往、说明、为空、问题"),
    (
        Kind::Policy,
        0.9,
        "应当、必须、不得、严禁、禁止、不应、须经、均须、予以、有权、无权、未经、依照、按照本、规定、违反、违约、\
         赔偿、承担、义务、责任、批准、负责人、书面、除外、不予、甲方、乙方、合同、法律、条款、处罚、解除、不低于、\
         不少于、不超过、不大于、之日起、方可上岗、管理员必须、本规定、本办法、本标准、前款、本条、视同、我方",
    ),
    (Kind::Policy, 0.5, "应、须、宜、可采用、不宜、员工、人员、公司、全体、者的、的，、要求、允许、制度、权利"),
    (
        Kind::Example,
        0.9,
        "例如、比如、譬如、举例、假设、假如、假定、设有、为例、再如、示例、例子、下面是一个、下例、上例、如下所示、\
         源码如下、代码如下、解得、运行结果、编译得到、现以、解：、案例、我们来、运行后",
    ),
    (Kind::Example, 0.35, "若、可以看出、代入、则需、如："),
    (
        Kind::Narrative,
        0.35,
        "后来、起初、当时、那时、次年、第二年、此后、事后、直到、爆发、创立、成立于、出生、去世、他、她、先生、女士、\
         父亲、母亲、兄弟、哥哥、主任、会议、汇报、主持、讨论、夏天、冬天、早晨、凌晨、那天、从此、于是、终于、再也、\
         被、年代、战争、岁、迁、随即、不久、曾、已经、查明",
    ),
    (Kind::Narrative, 0.15, "了、我们、我校"),
    (
        Kind::Reference,
        0.5,
        "此参数、该参数、该选项、此选项、该命令、此命令、该函数、此函数、该宏、此宏、该字段、用于设置、用来指定",
    ),
];

/// What words in titles say.
pub(super) const TITLES: &[Cues] = &[
    (
        Kind::Procedure,
        0.7,
        "安装、步骤、操作、更换、办理、做法、导出、导入、恢复、配置、部署、升级、使用方法、启动、停机、维护、保养、\
         调试、入门、快速、教程、流程、指南、方法、拆卸、装配、设置、编译、创建、新建、如何、怎样",
    ),
    (
        Kind::Theory,
        0.7,
        "原理、概念、成因、什么是、性质、作用、定理、理论、基础、定义、机制、概述、简介、背景、引言、绪论、模型、\
         特点、结构、与、本质、为什么、分析",
    ),
    (
        Kind::Reference,
        0.8,
        "参数、选项、一览、附录、表、接口、错误码、快捷键、命令、函数、术语、索引、规格、字段、列表、清单、参考、\
         语法、符号、技术数据、指标、对照、宏包选项、返回码、参考文献",
    ),
    (
        Kind::Troubleshooting,
        1.0,
        "故障、异常、常见问题、报错、失败、排除、提示、问题解答、疑难、解答、错误、无法、不能、排查、诊断、答疑",
    ),
    (
        Kind::Policy,
        0.8,
        "制度、规定、办法、须知、要求、义务、守则、条例、政策、规范、条款、协议、保密、安全、责任、管理、标志、总则、\
         附则、罚则、许可、声明、准则、第一条、第二条、第三条、第四条、第五条、第六条、第七条、第八条、第九条、\
         第十条、第十一条、第十二条",
    ),
    (Kind::Example, 0.9, "例题、示例、案例、范文、实例、举例、习题、练习、范例、样例、演示、应用实例"),
    (
        Kind::Narrative,
        0.9,
        "历史、沿革、纪要、经过、由来、大事记、回忆、初期、始末、日记、年表、游记、历程、发展史、前言、后记、致谢、\
         更新日志、更新记录",
    ),
];

/// Verbs that begin a clause in which somebody is told what to do.
static VERBS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    listed(
        "安装、按下、按照、按住、拔下、拔出、保存、备份、编辑、编写、编译、标记、拨、擦净、擦、查看、查找、拆下、\
         拆卸、插入、插、撤、冲洗、重新、重复、重启、创建、打开、打、登录、等待、点击、点、调用、调整、定义、断开、\
         对准、倒入、倒、导入、导出、读取、放入、放、分别、复制、覆盖、改用、盖上、更换、更新、更改、关闭、关、观察、\
         挂上、滑动、回到、恢复、记录、加入、加、剪、检查、接通、解压、进入、卷、开启、开、拷贝、连接、领取、留意、\
         拧紧、拧下、拧、排净、排、配置、铺、启动、启用、清洗、清除、清理、切换、切断、切、取出、取下、取、确认、\
         确保、撒、删除、上传、设置、使用、输入、刷新、松开、送、填写、填、添加、停止、通电、退出、拖动、涂、推、\
         下载、下、卸下、新建、修改、选择、选中、选、选取、旋转、旋、压入、验证、移动、移、用、应用、运行、在、再次、\
         找到、执行、指定、注意、注入、转、装上、装入、装、准备、抓住、把、将、洗、炒、煮、到、单击、双击、勾选、\
         测量、拉",
    )
    .collect()
});

/// What may stand in front of such a verb.
static LEADS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    listed("首先、然后、接着、随后、最后、依次、其次、同时、再次、完成后、并、请、先、再、即、手动、务必、不要")
        .collect()
});

/// How much of a sentence, from 0 to 1, are clauses that tell somebody to do something.
pub(in crate::profile) fn share_of_orders(sentence: &str) -> f32 {
    let clauses = sentence.split(['，', '；', '：', '。', '、', ',', ';']).filter(|clause| clause.chars().any(is_han));
    let (mut orders, mut all) = (0usize, 0usize);
    for clause in clauses {
        let size = clause.chars().filter(|c| is_han(*c)).count();
        all += size;
        orders += if is_order(clause) { size } else { 0 };
    }
    orders as f32 / all.max(1) as f32
}

fn is_order(clause: &str) -> bool {
    let mut rest = clause.trim_start();
    while let Some(behind) = LEADS.iter().find_map(|lead| rest.strip_prefix(lead)) {
        rest = behind.trim_start();
        // "最后确认", "再加": what is behind a lead is an order where it begins with a verb at all.
    }
    VERBS.iter().any(|verb| rest.starts_with(verb))
}

/// Words that make a rule or a possibility of a sentence.
static GENERAL: LazyLock<Vec<&str>> = LazyLock::new(|| {
    listed("应、须、不得、可以、如果、若、请、即可、是指、称为、通常、一般、往往、因此、假设、例如、为例").collect()
});

/// Words of what is over, in minutes too.
static ENDED: LazyLock<Vec<&str>> = LazyLock::new(|| {
    listed(
        "了、曾、已经、当时、后来、起初、此后、那时、会议决定、会议认为、会议讨论、会上、经讨论、一致同意、一致通过、与会",
    )
    .collect()
});

/// Whether a sentence tells what was: it has a date or `了`, `曾`, `过`, and makes no rule.
pub(in crate::profile) fn is_past(sentence: &str) -> bool {
    if GENERAL.iter().any(|word| sentence.contains(word)) {
        return false;
    }
    ENDED.iter().any(|word| sentence.contains(word)) || has_date(sentence)
}

/// `1902 年`, `三月`, `两点十四分`.
fn has_date(sentence: &str) -> bool {
    let mut before: Vec<char> = Vec::new();
    for c in sentence.chars().filter(|c| !c.is_whitespace()) {
        let digit = |c: &char| c.is_ascii_digit() || "〇一二三四五六七八九十两".contains(*c);
        let digits = before.iter().rev().take_while(|c| digit(c)).count();
        match c {
            '年' if digits >= 4 => return true,
            '月' | '日' | '点' if (1..=3).contains(&digits) => return true,
            _ => before.push(c),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_that_begin_with_what_to_do_are_orders() {
        assert_eq!(share_of_orders("先切断电源，打开阀门。"), 1.0);
        assert_eq!(share_of_orders("阀门由电机驱动。"), 0.0);
        assert!((share_of_orders("打开阀门，水便流出。") - 0.5).abs() < 0.01);
        assert_eq!(share_of_orders("1234"), 0.0);
    }

    #[test]
    fn what_was_has_a_date_or_is_over() {
        assert!(is_past("1902 年，兄弟二人开了一间作坊。"));
        assert!(is_past("会议于三月十四日召开。"));
        assert!(is_past("会议决定将重试次数上限由三次改为五次。"));
        assert!(!is_past("员工应于每月五日前提交。"));
        assert!(!is_past("压力取决于温度。"));
    }
}
